import { execute } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { announced } from "../outbox/end-store.ts";

/** Result of one broadcast, as stored. */
export interface Outcome {
  attemptId: string;
  /** True where a node took the bytes, and had not known them. */
  isFresh: boolean;
  answer: string;
  /** True where the request counts as broadcast from now on. */
  isBroadcast: boolean;
}

/** Stores the outcomes of broadcasts. A request that was mined meanwhile stays mined. */
export async function storeResults(tx: Tx, outcomes: readonly Outcome[], nowMs: number): Promise<void> {
  const column = (name: keyof Outcome) => outcomes.map((each) => each[name]);
  const attempt = sql`
    attempt AS (
      UPDATE app.send_attempt a SET broadcasts = a.broadcasts + 1, taken = a.taken + o.fresh, answer = o.answer,
        refusals = CASE o.answer WHEN 'refused' THEN a.refusals + 1 WHEN 'taken' THEN 0 ELSE a.refusals END,
        first_broadcast_at = coalesce(a.first_broadcast_at, to_timestamp(${nowMs} / 1000.0)),
        last_broadcast_at = to_timestamp(${nowMs} / 1000.0)
      FROM unnest(${column("attemptId")}::bigint[], ${outcomes.map(({ isFresh }) => (isFresh ? 1 : 0))}::int[],
          ${column("answer")}::text[], ${column("isBroadcast")}::boolean[])
        AS o (attempt_id, fresh, answer, is_broadcast)
      WHERE a.attempt_id = o.attempt_id RETURNING a.request_id, o.is_broadcast
    ),`;
  const update = sql`
    UPDATE app.send_request r SET state = 'broadcast', broadcast_at = coalesce(r.broadcast_at, now())
    FROM attempt WHERE r.request_id = attempt.request_id AND attempt.is_broadcast AND r.state = 'signed'`;
  await execute(tx, announced(update, attempt));
}
