import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { enablesInForce } from "../delegation/enable-store.ts";
import { type KeyPolicy, policySchema } from "../outbox/policy-store.ts";
import { isReserved, type SendRow, sendColumns, sendSchema } from "../outbox/rows.ts";
import type { Wallet } from "./wallet.ts";

/** Operations that a disabled delegation does not stop. */
export const WITHOUT_DELEGATION: readonly string[] = ["1ct/enable", "1ct/disable"];

const ENABLES = raw(
  enablesInForce({
    chainId: "s.chain_id",
    productType: "s.product_type",
    user: "s.user_address",
    keyId: "s.key_id",
    chainNonce: "NULL",
  }),
);
// Users and keys, among the requests in `waiting`, whose delegation is not in force. Distinct, because a user may have many
// requests.
const DISABLED = sql`
  disabled AS (
    SELECT s.product_type, s.user_address, s.key_id
    FROM (
      SELECT DISTINCT chain_id, product_type, user_address, key_id FROM waiting
      WHERE operation <> ALL(${WITHOUT_DELEGATION}::text[])) s
    WHERE NOT EXISTS (${ENABLES})
  )`;
const IS_DISABLED = sql`
  (r.operation <> ALL(${WITHOUT_DELEGATION}::text[])
    AND (r.product_type, r.user_address, r.key_id) IN (TABLE disabled))`;

/** Returns requests of a wallet without a nonce that may have to be canceled, the oldest first. */
export function readCandidates(
  pool: pg.Pool,
  { nodes: { chainId }, signer: { address } }: Wallet,
  unixSeconds: bigint,
  limit: number,
): Promise<SendRow[]> {
  // Candidates only; cancelOrLock decides on each one.
  const statement = sql`
    WITH waiting AS (
      SELECT * FROM app.send_request WHERE chain_id = ${chainId} AND wallet = ${address} AND state = 'accepted'
    ), ${DISABLED}
    SELECT ${sendColumns("r")} FROM waiting r
    JOIN app.api_key k USING (key_id) LEFT JOIN app.key_policy p USING (key_id)
    WHERE r.deadline < ${unixSeconds} OR ${IS_DISABLED}
      OR (r.operation <> '1ct/disable' AND (k.revoked_at IS NOT NULL OR p.killed OR EXISTS (
        SELECT FROM app.delegatee_wallet w
        WHERE w.chain_id = ${chainId} AND w.address = ${address} AND NOT w.assignable)))
    ORDER BY r.sequence LIMIT ${limit}`;
  return queryRows(pool, statement, sendSchema);
}

const standingSchema = z.object({
  /** True where it needs a delegation, and none is in force for its user and key. */
  disabled: z.boolean(),
  /** True where its wallet is retired. Certain only under that wallet's lock. */
  retired: z.boolean(),
  /** True where its key was revoked, or is killed. */
  revoked: z.boolean(),
  killed: z.boolean(),
  /** True where its key may not write, or not for its user and product. A disable is never foreign: it takes a right away. */
  foreign: z.boolean(),
});

/** Facts that decide if a waiting request may be signed. */
export interface Standing extends z.output<typeof standingSchema> {
  /** Its key's policy, or null where the key has none. */
  policy: KeyPolicy | null;
}

const lockedSchema = standingSchema.extend({ requestId: z.string(), hasPolicy: z.boolean() });

function parseLocked(row: unknown): [requestId: string, Standing] {
  const { requestId, hasPolicy, ...standing } = lockedSchema.parse(row);
  return [requestId, { ...standing, policy: hasPolicy ? policySchema.parse(row) : null }];
}

/**
 * Locks the requests that still wait for a nonce, in the order in which a disable locks them.
 * @returns the standing of each, by its id; none for a request that no longer waits
 */
export const lockAccepted = (tx: Tx, requestIds: readonly string[]): Promise<Map<string, Standing>> =>
  lockWhere(tx, requestIds, sql`q.state = 'accepted'`);

/** Locks the requests whose nonces are still reserved, and not signed. @returns as lockAccepted */
export const lockReserved = (tx: Tx, requestIds: readonly string[]): Promise<Map<string, Standing>> =>
  lockWhere(tx, requestIds, raw(isReserved("q")));

async function lockWhere(
  tx: Tx,
  requestIds: readonly string[],
  condition: Sql,
): Promise<Map<string, Standing>> {
  const statement = sql`
    WITH waiting AS (
      SELECT * FROM app.send_request q WHERE request_id = ANY(${requestIds}::uuid[]) AND ${condition}
      ORDER BY sequence FOR UPDATE
    ), ${DISABLED}
    SELECT r.request_id, p.key_id IS NOT NULL AS has_policy, p.daily_notional_cap, p.allowed_symbols, p.allowed_operations,
      p.expires_at AS expires_at_ms, ${IS_DISABLED} AS disabled, k.revoked_at IS NOT NULL AS revoked,
      coalesce(p.killed, false) AS killed, NOT w.assignable AS retired,
      r.operation <> '1ct/disable' AND (
        k.access <> 'WRITABLE' OR k.user_address IS DISTINCT FROM r.user_address OR NOT EXISTS (
          SELECT FROM app.api_key_scope s
          WHERE s.key_id = r.key_id AND s.chain_id = r.chain_id AND s.product_type = r.product_type)) AS foreign
    FROM waiting r JOIN app.api_key k USING (key_id) LEFT JOIN app.key_policy p USING (key_id)
    JOIN app.delegatee_wallet w ON w.chain_id = r.chain_id AND w.address = r.wallet`;
  return new Map(await queryRows(tx, statement, { parse: parseLocked }));
}
