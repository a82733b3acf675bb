import type { ErrCode } from "../../protocol/errors.ts";
import type { Tx } from "../outbox/transaction.ts";
import { ring } from "./store.ts";

export interface Ending {
  state: "failed" | "canceled";
  errCode: ErrCode;
  revert?: string | null;
  /** For the operator. */
  reason: string;
}

/** Ends a request that will never be on the chain, frees its operation key and drops its claim. */
export async function endRequest(tx: Tx, requestId: string, ending: Ending): Promise<void> {
  await tx.query(
    `UPDATE app.send_request SET state = $2, err_code = $3, revert = $4, reason = $5, operation_key = NULL,
       final_at = now(), updated_at = now() WHERE request_id = $1`,
    [requestId, ending.state, ending.errCode, ending.revert ?? null, ending.reason],
  );
  await setClaim(tx, requestId, "dropped");
  await ring(tx, requestId);
}

export async function setClaim(
  tx: Tx,
  requestId: string,
  state: "final" | "reverted" | "dropped",
): Promise<void> {
  await tx.query(
    `UPDATE app.transaction_claim c SET state = $2::app.claim_state, updated_at = now()
     FROM app.send_request r WHERE r.request_id = $1 AND c.claim_id = r.claim_id`,
    [requestId, state],
  );
}
