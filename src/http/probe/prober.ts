import type { Logger } from "pino";
import type { Chains } from "../../chain/clients.ts";
import type { Deployments } from "../../config/deployments.ts";
import {
  DEFECTS,
  type Outcome,
  type ProbedScope,
  type ProbeTarget,
  probeRead,
  probeRefusal,
} from "./check.ts";

export interface ProberDeps {
  target: ProbeTarget;
  scopes: readonly ProbedScope[];
  chains: Chains;
  log: Pick<Logger, "warn">;
  onOutcome: (scope: ProbedScope, outcome: Outcome) => void;
}

export interface Prober {
  /** Reads every scope once, and sends one of them a request that must be refused: scopes and defects take turns. */
  runRound(): Promise<void>;
  /** Unix seconds of the block that each chain's last answer named. A chain is absent where its nodes do not show that block. */
  blockTimes(): ReadonlyMap<number, number>;
}

/** Returns every product of every chain of the deployments file. */
export const scopesOf = ({ chains }: Deployments): ProbedScope[] =>
  chains.flatMap(({ chainId, products }) =>
    products.map(({ productType, contracts }) => ({ chainId, productType, contracts })),
  );

/** Creates the prober, which keeps nothing but what it saw last. */
export function createProber({ target, scopes, chains, log, onOutcome }: ProberDeps): Prober {
  const usedNonces = new Map<ProbedScope, string>();
  const blocks = createBlockTimes(chains, log);
  let turn = 0;

  function note(scope: ProbedScope, outcome: Outcome): void {
    const { chainId, productType } = scope;
    const { check, result, block, why } = outcome;
    onOutcome(scope, outcome);
    if (result !== "ok")
      log.warn({ chainId, productType, check, result, ...why }, "probe not answered right");
    if (check === "read" && result === "ok") usedNonces.set(scope, outcome.nonce);
    if (block !== null) blocks.named(chainId, block);
  }

  async function refuseNext(): Promise<void> {
    const scope = scopes[turn % scopes.length];
    const defect = DEFECTS[Math.floor(turn / scopes.length) % DEFECTS.length];
    turn += 1;
    if (!scope || !defect) return;
    const usedNonce = usedNonces.get(scope);
    if (usedNonce !== undefined) note(scope, await probeRefusal(target, scope, defect, usedNonce));
  }

  return {
    runRound: async () => {
      const reads = scopes.map(async (scope) => note(scope, await probeRead(target, scope)));
      await Promise.all([...reads, refuseNext()]);
    },
    blockTimes: blocks.times,
  };
}

/** Keeps the time of the block that was named last, by chain, as the chain's own nodes show it. */
function createBlockTimes(chains: Chains, log: Pick<Logger, "warn">) {
  const last = new Map<number, { block: bigint; seconds: number | null }>();

  async function read(chainId: number, block: bigint): Promise<void> {
    try {
      const found = await chains.get(chainId)?.client.getBlock({ blockNumber: block });
      const current = last.get(chainId);
      if (found && current?.block === block) current.seconds = Number(found.timestamp);
    } catch (err) {
      log.warn({ err, chainId, block: String(block) }, "no node shows the block that an answer named");
    }
  }

  return {
    named: (chainId: number, block: bigint): void => {
      const current = last.get(chainId);
      if (current?.block === block && current.seconds !== null) return;
      last.set(chainId, { block, seconds: null });
      // A node that is slow delays no probe.
      void read(chainId, block);
    },
    times: (): Map<number, number> =>
      new Map([...last].flatMap(([chainId, { seconds }]) => (seconds === null ? [] : [[chainId, seconds]]))),
  };
}
