import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Notifications } from "../../db/notifications.ts";
import { workKey } from "../outbox/submit-store.ts";
import type { Signer } from "../signer/signer.ts";
import { type CycleState, newCycleState } from "./context.ts";
import { dispatchArrived, runCycle } from "./cycle.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import { LeaseLost, registerWallet, releaseLease, takeLease } from "./lease.ts";
import { type Nodes, NodeUnreachable } from "./nodes.ts";
import { shareHead } from "./shared-head.ts";
import { renewLease } from "./shared-store.ts";
import { callAt, isNewPeriod, nextTick } from "./shared-time.ts";

export interface SenderOptions {
  signers: readonly Signer[];
  chains: readonly Nodes[];
  /** Notified of work, by workKey; without it the worker polls. */
  workNotifications?: Notifications | undefined;
}

export interface Sender {
  /** Finishes work under way, releases the leases and settles. */
  stop(): Promise<void>;
}

/** Duration of one wait for a notification; the next one follows it. */
const LISTEN_MS = 60_000;
/** Interval of attempts to take a wallet that another worker drives, as a share of the lease. */
const LEASE_SHARE = 3;

/**
 * Drives every wallet of `signers` on every chain, each while this worker holds its lease. Any number of workers may share the
 * same wallets.
 */
export async function startSender(deps: SenderDeps, options: SenderOptions): Promise<Sender> {
  const owner = randomUUID();
  const stopping = new AbortController();
  const loops: Promise<void>[] = [];
  for (const chain of options.chains) {
    const { pollMs, viewMs } = deps.config;
    // Half a pause: a wallet whose pause ends a moment early would otherwise get the head of the previous pause.
    const nodes = shareHead(chain, Math.min(pollMs / 2, viewMs));
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
  const { leaseMs, pollMs, idlePollMs, groupMs } = deps.config;
  const work = createWorkSignal(notifications, workKey(chainId, base.signer.address), signal);
  let held: Held | null = null;
  /** Time at which the next full cycle is due, by performance.now(). */
  let fullAtMs = 0;
  while (!signal.aborted) {
    const startedMs = performance.now();
    // Before anything is read: work that arrives during a cycle leads to the next one.
    const hasWork = work.take();
    try {
      if (!held || isNewPeriod(held.renewedMs, deps.now(), leaseMs / LEASE_SHARE))
        held = await hold(deps, base, held);
      if (!held) fullAtMs = startedMs + Math.min(idlePollMs, leaseMs / LEASE_SHARE);
      else if (!hasWork || startedMs >= fullAtMs || !(await dispatchArrived(held.state))) {
        const atRest = await runCycle(deps, held.wallet, held.state);
        fullAtMs = atRest ? nextTick(startedMs, idlePollMs) : startedMs + pollMs;
      }
      await work.changed(fullAtMs);
    } catch (error) {
      if (error instanceof LeaseLost) held = null;
      report(deps, base, error);
      fullAtMs = 0;
      await pauseFor(pollMs, signal);
    }
    await pauseFor(startedMs + groupMs - performance.now(), signal);
  }
  if (held) await releaseLease(deps.pool, held.wallet).catch(() => undefined);
}

interface Held {
  wallet: Wallet;
  renewedMs: number;
  state: CycleState;
}

/**
 * Renews or takes the lease of a wallet.
 * @returns null where another worker holds it
 */
async function hold(
  { pool, now, config }: SenderDeps,
  base: Wallet,
  held: Held | null,
): Promise<Held | null> {
  const { leaseMs } = config;
  if (held && (await renewLease(pool, held.wallet, leaseMs))) return { ...held, renewedMs: now() };
  const epoch = await takeLease(pool, base.nodes.chainId, base.signer.address, base.owner, leaseMs);
  return epoch === null ? null : renewed(held, base, epoch, now());
}

/** Returns the renewed lease. A new epoch begins with a new state: another worker may have driven the wallet meanwhile. */
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

interface WorkSignal {
  /** Returns true where work was announced since the last call. */
  take(): boolean;
  /** Settles on the next announcement since the last take, at a time by performance.now(), or on the stop. */
  changed(atMs: number): Promise<void>;
}

/** Listens continuously: an announcement between two waits ends the next one at once. */
function createWorkSignal(
  notifications: Notifications | undefined,
  key: string,
  signal: AbortSignal,
): WorkSignal {
  let isHeard = false;
  let resume: () => void = () => undefined;
  const hear = (): void => {
    isHeard = true;
    resume();
  };
  signal.addEventListener("abort", () => resume());
  const listen = async (): Promise<void> => {
    while (notifications && !signal.aborted) {
      const startedMs = performance.now();
      await notifications.wait(key, LISTEN_MS);
      hear();
      if (performance.now() - startedMs >= 1) continue;
      // Closed notifications settle at once. The cycle after this pause also covers announcements during it.
      await pauseFor(1, signal);
      hear();
    }
  };
  void listen();
  return {
    take: () => {
      const taken = isHeard;
      isHeard = false;
      return taken;
    },
    changed: (atMs) =>
      new Promise((resolve) => {
        if (isHeard || signal.aborted || atMs <= performance.now()) return resolve();
        resume = () => {
          cancel();
          resume = () => undefined;
          resolve();
        };
        const cancel = callAt(atMs, resume);
      }),
  };
}

/** Waits for the time or the stop, whichever comes first, and leaves no listener behind. */
async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
