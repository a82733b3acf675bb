import { CHANNELS } from "../../db/notifications.ts";
import type { Tx } from "../../db/transaction.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import type { UserScope } from "../delegation/store.ts";

export interface Ending {
  state: "failed" | "canceled";
  errCode: ErrCode;
  revert?: string | null;
  /** For the operator. */
  reason: string;
}

/** Ends a request that will never be on the chain, frees its operation key and writes the outcome to its claim. */
export async function endRequest(tx: Tx, requestId: string, ending: Ending): Promise<void> {
  await tx.query(
    `UPDATE app.send_request SET state = $2, err_code = $3, revert = $4, reason = $5, operation_key = NULL,
       final_at = now() WHERE request_id = $1`,
    [requestId, ending.state, ending.errCode, ending.revert ?? null, ending.reason],
  );
  await setClaim(tx, requestId, "reverted");
  await notify(tx, requestId);
}

/** Writes a request's outcome into its claim. A sent claim is never dropped: its caller can always ask how it ended. */
export async function setClaim(tx: Tx, requestId: string, state: "final" | "reverted"): Promise<void> {
  await tx.query(
    `UPDATE app.transaction_claim c SET state = $2::app.claim_state, updated_at = now()
     FROM app.send_request r WHERE r.request_id = $1 AND c.claim_id = r.claim_id`,
    [requestId, state],
  );
}

/** Cancels what a user has waiting without a nonce; under the delegation's lock, so that nothing new joins. */
export async function cancelAccepted(tx: Tx, { chainId, productType, user }: UserScope): Promise<void> {
  const { rows } = await tx.query<{ request_id: string }>(
    `SELECT request_id FROM app.send_request
     WHERE chain_id = $1 AND product_type = $2 AND user_address = $3 AND state = 'accepted' AND operation <> '1ct/disable'
     ORDER BY sequence FOR UPDATE`,
    [chainId, productType, user],
  );
  for (const { request_id: requestId } of rows) {
    await endRequest(tx, requestId, {
      state: "canceled",
      errCode: "DELEGATION_NOT_ENABLED",
      reason: "disabled before it was signed",
    });
  }
}

/** Notifies those who wait for the request; delivered at COMMIT. */
export async function notify(tx: Tx, requestId: string): Promise<void> {
  await tx.query("SELECT pg_notify($1, $2)", [CHANNELS.state, requestId]);
}

/**
 * Returns an UPDATE of app.send_request, named `r`, that also notifies those who wait for the requests it changed. Delivered
 * at COMMIT.
 * @param before other parts of its WITH clause, which it may refer to
 */
export const announced = (update: string, before = ""): string =>
  `WITH ${before && `${before}, `}changed AS (${update} RETURNING r.request_id)
   SELECT pg_notify('${CHANNELS.state}', request_id::text) FROM changed`;
