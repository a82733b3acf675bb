import { execute } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import type { FillReason } from "../outbox/rows.ts";

/** Stores why a request's nonce is filled; the first reason stays. */
export async function storeFillReason(tx: Tx, requestId: string, reason: FillReason): Promise<void> {
  await execute(
    tx,
    sql`
      UPDATE app.send_request SET fill_reason = ${reason}
      WHERE request_id = ${requestId} AND fill_reason IS NULL`,
  );
}

/** Makes all attempts of requests due for broadcast, as if no node had been given them. */
export async function makeAllDue(tx: Tx, requestIds: readonly string[]): Promise<void> {
  await execute(
    tx,
    sql`
      UPDATE app.send_attempt SET last_broadcast_at = NULL, first_broadcast_at = NULL, answer = NULL
      WHERE request_id = ANY(${requestIds}::uuid[])`,
  );
}
