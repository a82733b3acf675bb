import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { decodeEventCursor, encodeEventCursor, type LogName } from "../context/input/event-cursor.ts";
import { refuse } from "../context/input/fields.ts";
import { ApiError } from "../protocol/errors.ts";
import type { EventListInput } from "./input.ts";
import { type EventRow, readLog } from "./read-store.ts";

/**
 * GET /events (docs/events.md): the next events of the calling key, oldest first.
 * @throws ApiError VALIDATION_FAILED (a cursor of another log), CURSOR_EXPIRED
 */
export async function listEvents(deps: Pick<Deps, "pool">, caller: Caller, input: EventListInput) {
  const after = input.after === undefined ? null : decodeEventCursor(caller, input.after, "after");
  const { rows, end, head, removed } = await readLog(deps.pool, caller, { ...input, after });
  if (after !== null) requireKept(caller, after, "after", { head, removed });
  return { rows: rows.map(presentEvent), nextCursor: encodeEventCursor(caller, end) };
}

/**
 * Requires that a log has every event behind a sequence.
 * @throws ApiError VALIDATION_FAILED, CURSOR_EXPIRED
 */
export function requireKept(
  eventLog: LogName,
  sequence: bigint,
  param: string,
  { head, removed }: { head: bigint; removed: bigint },
): void {
  if (sequence > head) throw refuse(param, "is behind the end of this log");
  if (sequence >= removed) return;
  throw new ApiError("CURSOR_EXPIRED", { param, oldestCursor: encodeEventCursor(eventLog, removed) });
}

/** Returns an event in the API's shape. */
export function presentEvent(row: EventRow) {
  return {
    eventId: row.event_id,
    sequence: row.sequence,
    type: row.type,
    resource: row.resource,
    createdAt: row.created_at,
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    retracts: row.retracts,
    data: row.data,
  };
}
