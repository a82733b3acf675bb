import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Logger } from "pino";
import type { NotificationStream } from "../db/notifications.ts";
import { type Consumer, createRunner } from "./consumer.ts";
import { releaseReaderLease, takeReaderLease } from "./lease-store.ts";
import { readPosition } from "./position-store.ts";

export interface ChangeReaderOptions {
  chainIds: readonly number[];
  consumers: readonly Consumer[];
  /** Of the channel `index`. Without it the safety net alone finds changes. */
  notifications?: Pick<NotificationStream, "subscribe"> | undefined;
  timing?: Timing;
}

export interface Timing {
  /** Duration of a lease: after that, another worker replaces a reader that died. */
  leaseMs: number;
  /** Interval of renewals of the lease, and of runs of every consumer while no notification arrives. */
  safetyMs: number;
  /** Interval of runs of every consumer while notifications arrive. */
  quietMs: number;
}

export interface ChangeReaders {
  /** Names of readers and consumers whose last attempt failed. */
  failing(): string[];
  /** Finishes what is under way and gives the leases back. */
  stop(): Promise<void>;
}

const TIMING: Timing = { leaseMs: 6_000, safetyMs: 2_000, quietMs: 10_000 };
/** Payload of a block that changed no table. Work that its finality alone makes due is found by the safety net. */
const NOTHING_CHANGED = "[]";

/**
 * Starts a reader for each chain: while this worker holds the chain's lease, it runs the consumers at each block that the
 * indexer commits. Any number of workers may; one of them reads a chain at a time, which saves work and decides nothing.
 */
export function startChangeReaders(
  deps: { pool: pg.Pool; log: Logger },
  { chainIds, consumers, notifications, timing = TIMING }: ChangeReaderOptions,
): ChangeReaders {
  const owner = randomUUID();
  const readers = chainIds.map((chainId) => startReader(deps, { chainId, owner, consumers, timing }));
  const unsubscribe = notifications?.subscribe((payload) => {
    for (const reader of readers) reader.notify(payload);
  });
  return {
    failing: () => readers.flatMap((reader) => reader.failing()),
    stop: async () => {
      unsubscribe?.();
      await Promise.all(readers.map((reader) => reader.stop()));
    },
  };
}

interface ReaderOptions {
  chainId: number;
  owner: string;
  consumers: readonly Consumer[];
  timing: Timing;
}

interface Reader {
  /** @param payload null where notifications were lost */
  notify(payload: string | null): void;
  failing(): string[];
  stop(): Promise<void>;
}

interface ReaderState {
  /** Null while another worker reads the chain. */
  epoch: bigint | null;
  /** Position of the index when a change last woke the consumers. */
  position: string | null;
  /** True if a notification, of whatever chain, arrived since the last renewal: then none is lost silently. */
  isNotified: boolean;
  /** True if a notified change did not move the position: it was another chain's, or a reorg of this one. */
  isDoubtful: boolean;
  /** Time of the next run of every consumer without a change, by performance.now(). */
  quietUntilMs: number;
  isFailing: boolean;
}

function startReader(
  { pool, log }: { pool: pg.Pool; log: Logger },
  { chainId, owner, consumers, timing }: ReaderOptions,
): Reader {
  const state: ReaderState = {
    epoch: null,
    position: null,
    isNotified: false,
    isDoubtful: false,
    quietUntilMs: 0,
    isFailing: false,
  };
  const stopping = new AbortController();
  const mayRun = () => state.epoch !== null && !stopping.signal.aborted;
  const runners = consumers.map((consumer) => createRunner(consumer, chainId, log, mayRun));
  const trigger = createTrigger();

  async function renew(): Promise<void> {
    const before = state.epoch;
    state.epoch = await takeReaderLease(pool, { chainId, owner, ms: timing.leaseMs });
    if (state.epoch !== null && state.epoch !== before)
      log.info({ chainId }, "reading the changes of a chain");
    if (state.epoch === null && before !== null)
      log.info({ chainId }, "another worker reads the chain's changes");
    if (state.epoch !== null && (state.epoch !== before || isSafetyRunDue())) wakeEveryConsumer();
    state.isNotified = false;
  }

  const isSafetyRunDue = (): boolean =>
    !state.isNotified ||
    state.isDoubtful ||
    performance.now() >= state.quietUntilMs ||
    runners.some((runner) => runner.isFailing());

  function wakeEveryConsumer(): void {
    state.isDoubtful = false;
    state.quietUntilMs = performance.now() + timing.quietMs;
    for (const runner of runners) runner.wake();
  }

  async function check(): Promise<void> {
    const position = await readPosition(pool, chainId);
    if (position === state.position) {
      state.isDoubtful = true;
      return;
    }
    state.position = position;
    wakeEveryConsumer();
  }

  async function loop(): Promise<void> {
    let renewAtMs = 0;
    let isFired = false;
    while (!stopping.signal.aborted) {
      // A timer may end a moment early, and its wait is no notification.
      const isRenewal = !isFired || performance.now() >= renewAtMs;
      if (isRenewal) renewAtMs = performance.now() + timing.safetyMs;
      try {
        if (isRenewal) await renew();
        if (isFired && state.epoch !== null) await check();
        state.isFailing = false;
      } catch (err) {
        // Another worker may have taken a lease that could not be renewed.
        state.epoch = null;
        state.isFailing = true;
        log.error({ err, chainId }, "the changes of a chain cannot be read; trying again");
      }
      isFired = await trigger.wait(Math.max(0, renewAtMs - performance.now()));
    }
  }

  const looping = loop();
  return {
    notify: (payload) => {
      if (payload !== null) state.isNotified = true;
      if (payload !== NOTHING_CHANGED && state.epoch !== null) trigger.fire();
    },
    failing: () => [
      ...(state.isFailing ? [`changes of chain ${chainId}`] : []),
      ...runners.filter((runner) => runner.isFailing()).map(({ name }) => `${name} of chain ${chainId}`),
    ],
    stop: async () => {
      stopping.abort();
      trigger.fire();
      await looping;
      await Promise.all(runners.map((runner) => runner.idle()));
      await releaseReaderLease(pool, { chainId, owner }).catch(() => undefined);
    },
  };
}

interface Trigger {
  fire(): void;
  /** Settles with true when fired, also where that was before the wait began, or with false after `ms` milliseconds. */
  wait(ms: number): Promise<boolean>;
}

function createTrigger(): Trigger {
  let isFired = false;
  let resume: (() => void) | null = null;
  return {
    fire: () => {
      isFired = true;
      resume?.();
    },
    wait: async (ms) => {
      if (!isFired) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const wasFired = isFired;
      isFired = false;
      resume = null;
      return wasFired;
    },
  };
}
