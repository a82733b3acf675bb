import { setTimeout as sleep } from "node:timers/promises";
import { toDatabaseError } from "../../db/errors.ts";
import type { OutboxDeps } from "./deps.ts";
import { findById } from "./find.ts";
import type { SendRow } from "./rows.ts";

const POLL_MS = 200;

/** The request's state once it is broadcast or ended, or after `ms` milliseconds, whichever comes first. */
export function waitForBroadcast(deps: OutboxDeps, requestId: string, ms: number): Promise<SendRow> {
  return waitUntil(deps, requestId, ms, ({ state }) => state !== "accepted" && state !== "signed");
}

/** The request's state once it has a receipt or ended, or after `ms` milliseconds. */
export function waitForReceipt(deps: OutboxDeps, requestId: string, ms: number): Promise<SendRow> {
  return waitUntil(deps, requestId, ms, ({ state }) =>
    ["mined", "final", "failed", "canceled"].includes(state),
  );
}

async function waitUntil(
  deps: OutboxDeps,
  requestId: string,
  ms: number,
  done: (row: SendRow) => boolean,
): Promise<SendRow> {
  const deadline = deps.now() + ms;
  for (;;) {
    const row = await findById(deps.pool, requestId).catch((error: unknown) => {
      throw toDatabaseError(error) ?? error;
    });
    if (!row) throw new Error(`request ${requestId} is not in the database`);
    const left = deadline - deps.now();
    if (done(row) || left <= 0) return row;
    await (deps.bell ? deps.bell.wait(requestId, Math.min(POLL_MS, left)) : sleep(Math.min(POLL_MS, left)));
  }
}
