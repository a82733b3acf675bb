import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "../context/deps.ts";
import { isLockTimeout, toDatabaseError } from "../db/errors.ts";
import type { NotificationStream } from "../db/notifications.ts";
import { presentEvent } from "../events/list.ts";
import { inSpan } from "../telemetry/tracing.ts";
import { attempt } from "./attempt.ts";
import { type Outcome, type Result, SLOW_MS, writeOutcome } from "./outcome-store.ts";
import {
  enqueue,
  type Lane,
  type LeasedAttempt,
  leaseAttempts,
  readBehind,
  readDue,
  readWork,
} from "./queue-store.ts";
import { pauseMs } from "./schedule.ts";
import { runTest } from "./test-runner.ts";
import { claimTest, type TestWork } from "./test-store.ts";

export type DeliveryDeps = Pick<Deps, "pool" | "log" | "webhooks" | "now">;

export interface DeliveryOptions {
  /** Of the channels `events` and `tests`. Without it the poll alone finds them. */
  notifications?: Pick<NotificationStream, "subscribe"> | undefined;
  /** Attempts under way at once, of this process. */
  slots?: Slots;
  pollMs?: number;
  onOutcome?: (result: Result) => void;
}

/** Attempts under way at once, by lane. One that has taken a second counts as slow from then on, and frees its quick slot. */
type Slots = Record<Lane, number>;

export interface Deliveries {
  /** Names of the steps that failed last. */
  failing(): string[];
  /** Begins no further attempt or test, and waits for those under way, ten seconds at most. */
  stop(): Promise<void>;
}

const SLOTS: Slots = { quick: 64, slow: 32 };
/** Of all lanes: receivers that turn slow together take slow slots beyond their number, each for one attempt. */
const UNDER_WAY_MAX = 256;
/** Tests under way at once. Deliveries and tests have separate slots. */
const TEST_SLOTS = 32;
/** Polls, because nothing notifies of an attempt that becomes due. */
const POLL_MS = 1_000;
/** Time limit of a run for a webhook that another transaction has locked, milliseconds. */
const LOCKED_WAIT_MS = 100;

/**
 * Enqueues deliveries of the next part of the appended events. A webhook that fails by itself, as one that a newer version made
 * of types unknown to this one, waits alone. So does one that another transaction keeps locked: the others come first, and the
 * next run finds it again.
 * @returns false where more is left
 * @throws Error naming a webhook that failed, once the others are done; ApiError DATABASE_UNAVAILABLE at once
 */
export async function enqueueAll({ pool }: Pick<Deps, "pool">): Promise<boolean> {
  const found: Enqueued = { complete: true, locked: [], failure: null };
  for (const webhookId of await readBehind(pool)) await enqueueOne(pool, webhookId, found);
  const locked = found.locked.splice(0);
  // Another process has it locked for milliseconds. One that is locked for longer is waited for once in a run.
  for (const webhookId of locked)
    await enqueueOne(pool, webhookId, found, found.locked.length === 0 ? LOCKED_WAIT_MS : 0);
  if (found.failure) throw found.failure;
  return found.complete;
}

interface Enqueued {
  complete: boolean;
  locked: string[];
  failure: Error | null;
}

async function enqueueOne(
  pool: Deps["pool"],
  webhookId: string,
  found: Enqueued,
  waitMs?: number,
): Promise<void> {
  try {
    const result = await enqueue(pool, webhookId, waitMs);
    if (result === "more") found.complete = false;
    if (result === "locked") found.locked.push(webhookId);
  } catch (cause) {
    if (isLockTimeout(cause)) found.locked.push(webhookId);
    else if (toDatabaseError(cause)?.errCode === "DATABASE_UNAVAILABLE") throw cause;
    else found.failure ??= new Error(`no delivery can be made for webhook ${webhookId}`, { cause });
  }
}

/**
 * Makes a leased attempt, and writes its outcome. A death at any point loses nothing: the lease ends, and the attempt is
 * repeated.
 */
export async function runAttempt(
  deps: DeliveryDeps,
  leased: LeasedAttempt,
  timeoutMs?: number,
): Promise<Result> {
  const work = await readWork(deps.pool, leased);
  if (!work) return "superseded";
  const { url, secrets, event, attempts } = work;
  if (!event) return writeOutcome(deps.pool, leased, EXPIRED);
  const answer = await attempt(deps, {
    webhookId: leased.webhookId,
    url,
    secrets,
    id: leased.deliveryId,
    event: presentEvent(event),
    timeoutMs,
  });
  const { statusCode, error, durationMs, retryAfterMs } = answer;
  return writeOutcome(deps.pool, leased, {
    statusCode,
    error,
    durationMs,
    pauseMs: pauseMs(attempts, retryAfterMs, Math.random()),
    isGone: statusCode === 410,
  });
}

/**
 * Makes an attempt as a trace of its own. The receiver is sent no `traceparent`: it is another organization's, and the identifiers
 * that both sides have are in the event and in its headers.
 */
const runTraced = (deps: DeliveryDeps, leased: LeasedAttempt): Promise<Result> =>
  inSpan(
    "deliver webhook",
    {
      kind: "producer",
      parent: "root",
      attributes: { webhook_id: leased.webhookId, delivery_id: leased.deliveryId },
    },
    async (span) => {
      const result = await runAttempt(deps, leased);
      span?.set({ result });
      return result;
    },
  );

const runTestTraced = (deps: DeliveryDeps, work: TestWork): Promise<void> =>
  inSpan(
    "test webhook",
    { kind: "producer", parent: "root", attributes: { webhook_id: work.webhookId } },
    async () => runTest(deps, work),
  );

const EXPIRED: Outcome = {
  statusCode: null,
  error: "the event is older than the log keeps",
  durationMs: 0,
  pauseMs: null,
  isGone: false,
};

/** Starts delivering events to webhooks, and testing these. Any number of processes may run it: each attempt is leased by one. */
export function startDeliveries(deps: DeliveryDeps, options: DeliveryOptions = {}): Deliveries {
  const { notifications, slots = SLOTS, pollMs = POLL_MS, onOutcome } = options;
  const underWay = new Map<Promise<void>, Lane>();
  const tests = new Set<Promise<void>>();
  let isQueueFailing = false;
  let isAttemptFailing = false;
  let stopped = false;
  let waiting = new AbortController();
  const wake = (): void => waiting.abort();
  const unsubscribe = notifications?.subscribe(wake);

  /** Returns the number of attempts that a lane may begin. */
  function freeOf(lane: Lane): number {
    const taken = [...underWay.values()].filter((each) => each === lane).length;
    return Math.max(0, Math.min(slots[lane] - taken, UNDER_WAY_MAX - underWay.size));
  }

  function begin(leased: LeasedAttempt, lane: Lane): void {
    const late = setTimeout(() => {
      underWay.set(work, "slow");
      wake();
    }, SLOW_MS);
    const work = runTraced(deps, leased)
      .then(
        (result) => {
          isAttemptFailing = false;
          onOutcome?.(result);
        },
        (err: unknown) => {
          isAttemptFailing = true;
          deps.log.error({ err, webhookId: leased.webhookId }, "a delivery could not be attempted");
        },
      )
      .finally(() => {
        clearTimeout(late);
        underWay.delete(work);
        wake();
      });
    underWay.set(work, lane);
  }

  function beginTest(work: TestWork): void {
    const made = runTestTraced(deps, work)
      .catch((err: unknown) => deps.log.error({ err, webhookId: work.webhookId }, "a test has no outcome"))
      .finally(() => {
        tests.delete(made);
        wake();
      });
    tests.add(made);
  }

  async function claimTests(): Promise<void> {
    while (tests.size < TEST_SLOTS) {
      const work = await claimTest(deps.pool);
      if (!work) return;
      beginTest(work);
    }
  }

  async function enqueueNext(): Promise<void> {
    if (!(await enqueueAll(deps))) wake();
  }

  async function leaseDue(): Promise<void> {
    const due = await readDue(deps.pool);
    for (const lane of ["quick", "slow"] as const) {
      const free = freeOf(lane);
      if (!due[lane] || free === 0) continue;
      for (const leased of await leaseAttempts(deps.pool, lane, free)) begin(leased, lane);
    }
  }

  async function run(): Promise<void> {
    let isFailing = false;
    // Existing deliveries are leased even where none can be made.
    for (const step of [claimTests, enqueueNext, leaseDue]) {
      try {
        await step();
      } catch (err) {
        isFailing = true;
        deps.log.error({ err }, "webhooks cannot be delivered; trying again");
      }
    }
    isQueueFailing = isFailing;
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      // Created before the run, so that a notification during it ends the wait at once.
      waiting = new AbortController();
      await run();
      await delay(pollMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    }
  }

  const looping = loop();
  return {
    failing: () => (isQueueFailing || isAttemptFailing ? ["webhooks"] : []),
    stop: async () => {
      stopped = true;
      unsubscribe?.();
      wake();
      await looping;
      await Promise.all([...underWay.keys(), ...tests]);
    },
  };
}
