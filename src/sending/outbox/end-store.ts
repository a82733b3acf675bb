import { z } from "zod";
import { CHANNELS } from "../../db/notifications.ts";
import { execute, queryRows } from "../../db/query.ts";
import { empty, raw, type Sql, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import type { UserScope } from "../delegation/store.ts";

export interface Ending {
  state: "failed" | "canceled";
  errCode: ErrCode;
  revert?: string | null;
  /** Read by the operator. */
  reason: string;
}

/** Ends a request that will never be on the chain, frees its operation key and writes the outcome to its claim. */
export async function endRequest(tx: Tx, requestId: string, ending: Ending): Promise<void> {
  const { state, errCode, revert = null, reason } = ending;
  await execute(
    tx,
    sql`
      UPDATE app.send_request SET state = ${state}, err_code = ${errCode}, revert = ${revert}, reason = ${reason},
        operation_key = NULL, final_at = now() WHERE request_id = ${requestId}`,
  );
  await setClaim(tx, requestId, "reverted");
  await notify(tx, requestId);
}

/** Writes a request's outcome into its claim. A sent claim is never dropped: its caller can always ask how it ended. */
export async function setClaim(tx: Tx, requestId: string, state: "final" | "reverted"): Promise<void> {
  await execute(
    tx,
    sql`
      UPDATE app.transaction_claim c SET state = ${state}::app.claim_state, updated_at = now()
      FROM app.send_request r WHERE r.request_id = ${requestId} AND c.claim_id = r.claim_id`,
  );
}

const idSchema = z.object({ requestId: z.string() });

/** Cancels a user's waiting requests without a nonce; under the delegation's lock, so that none is added meanwhile. */
export async function cancelAccepted(tx: Tx, { chainId, productType, user }: UserScope): Promise<void> {
  const statement = sql`
    SELECT request_id FROM app.send_request
    WHERE chain_id = ${chainId} AND product_type = ${productType} AND user_address = ${user}
      AND state = 'accepted' AND operation <> '1ct/disable'
    ORDER BY sequence FOR UPDATE`;
  for (const { requestId } of await queryRows(tx, statement, idSchema)) {
    await endRequest(tx, requestId, {
      state: "canceled",
      errCode: "DELEGATION_NOT_ENABLED",
      reason: "disabled before it was signed",
    });
  }
}

/** Notifies the waiters of the request; delivered at COMMIT. */
export async function notify(tx: Tx, requestId: string): Promise<void> {
  await execute(tx, sql`SELECT pg_notify(${CHANNELS.state}, ${requestId})`);
}

/**
 * Returns an UPDATE of app.send_request, named `r`, that also notifies the waiters of the requests it changed. Delivered at
 * COMMIT.
 * @param before other parts of its WITH clause, which it may refer to, each with its comma
 */
export const announced = (update: Sql, before: Sql = empty): Sql => sql`
  WITH ${before} changed AS (${update} RETURNING r.request_id)
  SELECT pg_notify('${raw(CHANNELS.state)}', request_id::text) FROM changed`;
