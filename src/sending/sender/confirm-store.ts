import type { Hex } from "viem";
import { prepared } from "../../db/prepared.ts";
import type { Tx } from "../../db/transaction.ts";
import { announced } from "../outbox/end-store.ts";

/** The receipt of a request, as it is stored. */
export interface MinedRow {
  requestId: string;
  block: bigint;
  blockHash: Hex;
  success: boolean;
  filler: boolean;
  errCode: string | null;
  revert: string | null;
}

/** Stores receipts: hints, until their blocks are final. */
export async function storeMinedRows(tx: Tx, mined: readonly MinedRow[]): Promise<void> {
  await tx.query(MINED, [
    mined.map(({ requestId }) => requestId),
    mined.map(({ block }) => block.toString()),
    mined.map(({ blockHash }) => blockHash),
    mined.map(({ success }) => success),
    mined.map(({ filler }) => filler),
    mined.map(({ errCode }) => errCode),
    mined.map(({ revert }) => revert),
  ]);
}

const MINED = prepared(
  announced(`
  UPDATE app.send_request r SET state = 'mined', mined_block = m.block, mined_block_hash = m.block_hash,
    mined_success = m.success, mined_filler = m.filler, err_code = m.err_code, revert = m.revert, mined_at = now(),
    broadcast_at = coalesce(r.broadcast_at, now())
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::boolean[], $5::boolean[], $6::text[], $7::text[])
    AS m (request_id, block, block_hash, success, filler, err_code, revert)
  WHERE r.request_id = m.request_id`),
);

/** Takes back what a receipt said of requests: their bytes are due at once. */
export async function storeReorgedRows(tx: Tx, requestIds: readonly string[]): Promise<void> {
  await tx.query(REORGED, [requestIds]);
  // Being unknown to the nodes says nothing about these bytes after a reorg.
  await tx.query(
    `UPDATE app.send_attempt SET first_broadcast_at = NULL, last_broadcast_at = NULL, taken = 0, refusals = 0,
       answer = NULL
     WHERE request_id = ANY($1::uuid[])`,
    [requestIds],
  );
}

const REORGED = announced(`
  UPDATE app.send_request r SET state = 'broadcast', mined_block = NULL, mined_block_hash = NULL,
    mined_success = NULL, mined_filler = NULL, err_code = NULL, revert = NULL, mined_at = NULL
  WHERE r.request_id = ANY($1::uuid[])`);

/** Ends requests as their receipts say, and their claims with them. An operation that reverted may run again. */
export async function storeFinalRows(tx: Tx, requestIds: readonly string[]): Promise<void> {
  await tx.query(FINAL, [requestIds]);
  await tx.query(
    `UPDATE app.transaction_claim c
     SET state = CASE r.outcome WHEN 'confirmed' THEN 'final' ELSE 'reverted' END::app.claim_state, updated_at = now()
     FROM app.send_request r WHERE r.request_id = ANY($1::uuid[]) AND c.claim_id = r.claim_id`,
    [requestIds],
  );
}

// A disable reverts so where the user, or another enable, has ended the delegation before: that is no failure.
const HAD_ENDED = "(r.operation = '1ct/disable' AND NOT r.mined_success AND r.revert = 'NotDelegatee')";
const FINAL = prepared(
  announced(`
  UPDATE app.send_request r SET state = 'final',
    outcome = CASE WHEN r.mined_success OR ${HAD_ENDED} THEN 'confirmed' ELSE 'reverted' END,
    err_code = CASE WHEN ${HAD_ENDED} THEN NULL ELSE r.err_code END,
    reason = CASE WHEN ${HAD_ENDED} THEN 'the delegation had ended already' ELSE r.reason END,
    operation_key = CASE WHEN r.mined_success THEN r.operation_key END, final_at = now()
  WHERE r.request_id = ANY($1::uuid[])`),
);
