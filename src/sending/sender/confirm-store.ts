import type { Hex } from "viem";
import { execute } from "../../db/query.ts";
import { raw, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { announced, type Ending, endRequest } from "../outbox/end-store.ts";
import { isReserved } from "../outbox/rows.ts";

/** Receipt of a request, as stored. */
export interface MinedRow {
  requestId: string;
  block: bigint;
  blockHash: Hex;
  success: boolean;
  filler: boolean;
  errCode: string | null;
  revert: string | null;
}

// Each statement below names the states that it changes: a failover may have lost the commit by which a request reached the state that the
// cycle read, and nothing may be decided on what the database no longer has.

/** Stores receipts. They are hints until their blocks are final. */
export async function storeMinedRows(tx: Tx, mined: readonly MinedRow[]): Promise<void> {
  const column = (name: keyof MinedRow) => mined.map((each) => each[name]);
  const update = sql`
    UPDATE app.send_request r SET state = 'mined', mined_block = m.block, mined_block_hash = m.block_hash,
      mined_success = m.success, mined_filler = m.filler, err_code = m.err_code, revert = m.revert, mined_at = now(),
      broadcast_at = coalesce(r.broadcast_at, now())
    FROM unnest(${column("requestId")}::uuid[], ${column("block")}::bigint[], ${column("blockHash")}::text[],
        ${column("success")}::boolean[], ${column("filler")}::boolean[], ${column("errCode")}::text[], ${column("revert")}::text[])
      AS m (request_id, block, block_hash, success, filler, err_code, revert)
    WHERE r.request_id = m.request_id AND r.state IN ('signed', 'broadcast', 'mined') AND NOT ${raw(isReserved("r"))}`;
  await execute(tx, announced(update));
}

/** Reverts the stored receipts of requests: their bytes are due at once. */
export async function storeReorgedRows(tx: Tx, requestIds: readonly string[]): Promise<void> {
  const update = sql`
    UPDATE app.send_request r SET state = 'broadcast', mined_block = NULL, mined_block_hash = NULL,
      mined_success = NULL, mined_filler = NULL, err_code = NULL, revert = NULL, mined_at = NULL
    WHERE r.request_id = ANY(${requestIds}::uuid[]) AND r.state = 'mined'`;
  await execute(tx, announced(update));
  // After a reorg, earlier answers that nodes did not know these bytes prove nothing.
  await execute(
    tx,
    sql`
      UPDATE app.send_attempt SET first_broadcast_at = NULL, last_broadcast_at = NULL, taken = 0, refusals = 0,
        answer = NULL
      WHERE request_id = ANY(${requestIds}::uuid[])`,
  );
}

// A disable reverts this way where the user, or another enable, had already ended the delegation: that is no failure.
const HAD_ENDED = raw("(r.operation = '1ct/disable' AND NOT r.mined_success AND r.revert = 'NotDelegatee')");

/** Ends requests by their receipts, with their claims. An operation that reverted may run again. */
export async function storeFinalRows(tx: Tx, requestIds: readonly string[]): Promise<void> {
  const update = sql`
    UPDATE app.send_request r SET state = 'final',
      outcome = CASE WHEN r.mined_success OR ${HAD_ENDED} THEN 'confirmed' ELSE 'reverted' END,
      err_code = CASE WHEN ${HAD_ENDED} THEN NULL ELSE r.err_code END,
      reason = CASE WHEN ${HAD_ENDED} THEN 'the delegation had ended already' ELSE r.reason END,
      operation_key = CASE WHEN r.mined_success THEN r.operation_key END, final_at = now()
    WHERE r.request_id = ANY(${requestIds}::uuid[]) AND r.state = 'mined'`;
  await execute(tx, announced(update));
  await execute(
    tx,
    sql`
      UPDATE app.transaction_claim c
      SET state = CASE r.outcome WHEN 'confirmed' THEN 'final' ELSE 'reverted' END::app.claim_state, updated_at = now()
      FROM app.send_request r
      WHERE r.request_id = ANY(${requestIds}::uuid[]) AND r.state = 'final' AND c.claim_id = r.claim_id`,
  );
}

/** Ends a request whose nonce was filled. */
export async function endFilled(tx: Tx, requestId: string, ending: Ending): Promise<void> {
  const lock = sql`
    SELECT FROM app.send_request WHERE request_id = ${requestId} AND state = 'mined' AND mined_filler FOR UPDATE`;
  if ((await execute(tx, lock)) > 0) await endRequest(tx, requestId, ending);
}
