import { randomUUID } from "node:crypto";
import type { Notifications } from "../../db/notifications.ts";
import { workKey } from "../outbox/submit-store.ts";
import type { Signer } from "../signer/signer.ts";
import { type CycleState, newCycleState } from "./context.ts";
import { runCycle } from "./cycle.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import { LeaseLost, registerWallet, releaseLease, takeLease } from "./lease.ts";
import { type Nodes, NodeUnreachable } from "./nodes.ts";

export interface SenderOptions {
  signers: readonly Signer[];
  chains: readonly Nodes[];
  /** Notified of work, by workKey; without it the worker polls. */
  workNotifications?: Notifications | undefined;
}

export interface Sender {
  /** Finishes what is under way, gives the leases back and settles. */
  stop(): Promise<void>;
}

/** How often a worker asks for a wallet that another one drives, as a share of the lease. */
const LEASE_SHARE = 3;

/**
 * Drives every wallet of `signers` on every chain, each while this worker holds its lease. Any number of workers may
 * run with the same wallets.
 */
export async function startSender(deps: SenderDeps, options: SenderOptions): Promise<Sender> {
  const owner = randomUUID();
  const stopping = new AbortController();
  const loops: Promise<void>[] = [];
  for (const nodes of options.chains) {
    for (const signer of options.signers) {
      await registerWallet(deps.pool, nodes.chainId, signer.address);
      loops.push(
        drive(deps, { signer, nodes, epoch: 0n, owner }, options.workNotifications, stopping.signal),
      );
    }
  }
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function drive(
  deps: SenderDeps,
  base: Wallet,
  notifications: Notifications | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { chainId } = base.nodes;
  const { address } = base.signer;
  const { leaseMs, pollMs } = deps.config;
  let held: { wallet: Wallet; renewedMs: number; state: CycleState } | null = null;
  while (!signal.aborted) {
    try {
      if (!held || deps.now() - held.renewedMs > leaseMs / LEASE_SHARE) {
        const epoch = await takeLease(deps.pool, chainId, address, base.owner, leaseMs);
        held = epoch === null ? null : renewed(held, base, epoch, deps.now());
      }
      if (held) await runCycle(deps, held.wallet, held.state);
    } catch (error) {
      if (error instanceof LeaseLost) held = null;
      report(deps, base, error);
    }
    const ms = held ? pollMs : Math.min(pollMs, leaseMs / LEASE_SHARE);
    await pauseFor(ms, notifications, workKey(chainId, address), signal);
  }
  if (held) await releaseLease(deps.pool, held.wallet).catch(() => undefined);
}

interface Held {
  wallet: Wallet;
  renewedMs: number;
  state: CycleState;
}

/** A new epoch begins with a new state: another worker may have driven the wallet meanwhile. */
function renewed(held: Held | null, base: Wallet, epoch: bigint, nowMs: number): Held {
  if (held && held.wallet.epoch === epoch) return { ...held, renewedMs: nowMs };
  return {
    wallet: { ...base, epoch },
    renewedMs: nowMs,
    state: newCycleState(),
  };
}

function report(deps: SenderDeps, { nodes, signer }: Wallet, error: unknown): void {
  const fields = { chainId: nodes.chainId, wallet: signer.address };
  if (error instanceof NodeUnreachable) {
    deps.alarm("node-unreachable", { ...fields, reason: error.message });
    return;
  }
  if (error instanceof LeaseLost) {
    deps.log.info(fields, "another worker drives the wallet");
    return;
  }
  deps.log.error({ ...fields, err: error }, "a wallet cycle failed; trying again");
}

/** Waits for the notifications, the time or the stop, whichever comes first, and leaves no listener behind. */
async function pauseFor(
  ms: number,
  notifications: Notifications | undefined,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
    void notifications?.wait(key, ms).then(done);
  });
}
