import { randomUUID } from "node:crypto";
import type { Notifications } from "../../db/notifications.ts";
import { workKey } from "../outbox/submit-store.ts";
import type { Signer } from "../signer/signer.ts";
import { type CycleState, newCycleState } from "./context.ts";
import { dispatchArrived, runCycle } from "./cycle.ts";
import type { SenderDeps } from "./deps.ts";
import { LeaseLost } from "./lease.ts";
import { type Nodes, NodeUnreachable } from "./nodes.ts";
import { shareHead } from "./shared-head.ts";
import { isNewPeriod, nextTick, SYSTEM_TIME, type WorkerTime } from "./shared-time.ts";
import type { Wallet } from "./wallet.ts";

export interface SenderOptions {
  signers: readonly Signer[];
  chains: readonly Nodes[];
  /** Notified of work, by workKey; without it the worker polls. */
  workNotifications?: Notifications | undefined;
  /** By default the system's. */
  time?: WorkerTime;
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
  const { time = SYSTEM_TIME, workNotifications } = options;
  const stopping = new AbortController();
  const loops: Promise<void>[] = [];
  for (const chain of options.chains) {
    const { pollMs, viewMs } = deps.config;
    // Half a pause: a wallet whose pause ends a moment early would otherwise get the head of the previous pause.
    const nodes = shareHead(chain, Math.min(pollMs / 2, viewMs), time);
    for (const signer of options.signers) {
      await deps.store.registerWallet(nodes.chainId, signer.address);
      loops.push(
        drive(deps, { signer, nodes, epoch: 0n, owner }, { workNotifications, time }, stopping.signal),
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
  { workNotifications, time }: Waiting,
  signal: AbortSignal,
): Promise<void> {
  const { chainId } = base.nodes;
  const { leaseMs, pollMs, idlePollMs, groupMs } = deps.config;
  const work = createWorkSignal({ workNotifications, time }, workKey(chainId, base.signer.address), signal);
  let held: Held | null = null;
  /** Time at which the next full cycle is due, by time.now(). */
  let fullAtMs = 0;
  while (!signal.aborted) {
    const startedMs = time.now();
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
      await pauseFor(time, pollMs, signal);
    }
    await pauseFor(time, startedMs + groupMs - time.now(), signal);
  }
  if (held) await deps.store.releaseLease(held.wallet).catch(() => undefined);
}

/** Waits of a wallet's loop. */
interface Waiting {
  workNotifications: Notifications | undefined;
  time: WorkerTime;
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
  { store, now, config }: SenderDeps,
  base: Wallet,
  held: Held | null,
): Promise<Held | null> {
  const { leaseMs } = config;
  if (held && (await store.renewLease(held.wallet, leaseMs))) return { ...held, renewedMs: now() };
  const epoch = await store.takeLease(base.nodes.chainId, base.signer.address, base.owner, leaseMs);
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
  /** Settles on the next announcement since the last take, at a time by WorkerTime, or on the stop. */
  changed(atMs: number): Promise<void>;
}

/** Listens continuously: an announcement between two waits ends the next one at once. */
function createWorkSignal(
  { workNotifications: notifications, time }: Waiting,
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
      const startedMs = time.now();
      await notifications.wait(key, LISTEN_MS);
      hear();
      if (time.now() - startedMs >= 1) continue;
      // Closed notifications settle at once. The cycle after this pause also covers announcements during it.
      await pauseFor(time, 1, signal);
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
        if (isHeard || signal.aborted || atMs <= time.now()) return resolve();
        resume = () => {
          cancel();
          resume = () => undefined;
          resolve();
        };
        const cancel = time.callAt(atMs, resume);
      }),
  };
}

async function pauseFor(time: WorkerTime, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await time.sleep(ms, signal);
}
