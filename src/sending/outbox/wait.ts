import { setTimeout as sleep } from "node:timers/promises";
import type { OutboxDeps } from "./deps.ts";
import { findJoined } from "./request-store.ts";
import type { SendRow } from "./rows.ts";

/** Polls, without notifications and beside them, because one may be lost. */
const POLL_MS = 200;
const SAFETY_POLL_MS = 1_000;
const BROADCAST_WAIT_MS = 3_000;
/** Time kept for the last read, ms: it follows the last notification, so that the answer includes the notified change. */
const LAST_READ_MS = 250;

/** A wait for changes of a request that began before the request was written. */
export interface EarlyWait {
  requestId: string;
  changed: Promise<void>;
}

/** Begins to wait for changes of a request that is not written yet; null without notifications, or where no caller waits. */
export function beginWait(deps: OutboxDeps, requestId: string): EarlyWait | null {
  const ms = Math.min(SAFETY_POLL_MS, deps.broadcastWaitMs ?? BROADCAST_WAIT_MS);
  const changed = ms > 0 ? deps.notifications?.wait(requestId, ms) : undefined;
  return changed ? { requestId, changed } : null;
}

/**
 * Returns the request's state once it is broadcast or ended, or after 3 s (deps.broadcastWaitMs), whichever comes first.
 * @param early wait of this request: its state is not read before it changes
 */
export function waitForBroadcast(
  deps: OutboxDeps,
  written: SendRow,
  early: EarlyWait | null = null,
): Promise<SendRow> {
  const ms = deps.broadcastWaitMs ?? BROADCAST_WAIT_MS;
  const isSent = ({ state }: SendRow) => !["accepted", "reserved", "signed"].includes(state);
  return waitUntil(deps, written, ms, isSent, early?.requestId === written.requestId ? early : null);
}

/** Returns the request's state once it has a receipt or ended, or after `ms` milliseconds. */
export function waitForReceipt(deps: OutboxDeps, written: SendRow, ms: number): Promise<SendRow> {
  return waitUntil(deps, written, ms, ({ state }) =>
    ["mined", "final", "failed", "canceled"].includes(state),
  );
}

/**
 * Reads a request until it is `done`, or for `ms` milliseconds. It is committed, and will be sent: where the database now fails,
 * the answer is the last row read.
 */
async function waitUntil(
  deps: OutboxDeps,
  written: SendRow,
  ms: number,
  done: (row: SendRow) => boolean,
  early: EarlyWait | null = null,
): Promise<SendRow> {
  const { requestId } = written;
  const deadline = deps.now() + ms;
  let row = written;
  if (done(row) || ms <= 0) return row;
  await early?.changed;
  for (;;) {
    const left = deadline - deps.now();
    const pause = Math.min(deps.notifications ? SAFETY_POLL_MS : POLL_MS, left);
    // Begins before the row is read, so that a change meanwhile is notified.
    const changed = pause > 0 ? (deps.notifications?.wait(requestId, pause) ?? sleep(pause)) : undefined;
    row = (await readWithin(deps, requestId, Math.max(left, LAST_READ_MS))) ?? row;
    if (done(row) || left <= 0) return row;
    await changed;
  }
}

/** Returns the row; null where the database fails, or exceeds the time limit. */
async function readWithin(deps: OutboxDeps, requestId: string, ms: number): Promise<SendRow | null> {
  const late = new AbortController();
  const read = findJoined(deps.pool, requestId)
    .catch((err: unknown) => {
      deps.log.warn({ err, requestId }, "the state of a request cannot be read");
      return null;
    })
    .finally(() => late.abort());
  const silence = sleep(ms, null, { signal: late.signal }).catch(() => null);
  return Promise.race([read, silence]);
}
