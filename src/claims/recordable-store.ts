import type pg from "pg";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { queryOne } from "../db/query.ts";
import { raw, type Sql, sql } from "../db/sql.ts";
import { lacksVerdict, ownerSql, RULE_VERSION } from "./ownership.ts";

/** Names what a record of a transaction would come to. */
export type Recordability =
  /** The index has no order of it. */
  | "unindexed"
  /** Its suffix is in our form, and not verified yet. */
  | "unverified"
  /** The key would own an order of it. */
  | "recordable"
  | "owned";

const foundSchema = z.object({ orders: z.number(), unverified: z.boolean(), recordable: z.boolean() });

/** Selects the claim that a record by the key would make now, as `c`; `o` is the order, `p` the indexer's checkpoint. */
const recordOf = ({ keyId }: Pick<Caller, "keyId">): Sql => sql`
  SELECT '00000000-0000-0000-0000-000000000000'::uuid AS claim_id, ${keyId}::uuid AS key_id, o.chain_id, o.product_type,
    'trade'::app.operation_type AS operation_type, o.tx_hash, 'recorded'::app.mapping_source AS source,
    NULL::text AS user_address, NULL::text AS bound_user_address, NULL::text AS attribution_nonce,
    'infinity'::timestamptz AS created_at, ${RULE_VERSION}::smallint AS rule_version,
    o.block_number > substr(p.safe_checkpoint, 27, 16)::numeric AND NOT EXISTS (
      SELECT 1 FROM app.transaction_claim f
      WHERE f.chain_id = o.chain_id AND f.tx_hash = o.tx_hash AND f.state = 'final') AS before_final`;

const COLUMNS = raw(
  "claim_id, key_id, chain_id, product_type, operation_type, tx_hash, source, user_address, bound_user_address, attribution_nonce, created_at, rule_version, before_final",
);

/** Returns what a record of a transaction of orders by a key would come to, by the index. @throws ApiError DATABASE_UNAVAILABLE */
export async function readRecordability(
  pool: pg.Pool,
  { keyId, chainId, productType }: Pick<Caller, "keyId" | "chainId" | "productType">,
  txHash: string,
): Promise<Recordability> {
  const candidates = sql`(SELECT ${COLUMNS} FROM app.transaction_claim UNION ALL SELECT c.*)`;
  const statement = sql`
    SELECT count(*)::int AS orders, coalesce(bool_or(${lacksVerdict("c")}), false) AS unverified,
      coalesce(bool_or(owner.claim_id = c.claim_id), false) AS recordable
    FROM onchain.stock_order o
    JOIN onchain._ponder_checkpoint p ON p.chain_id = o.chain_id
    CROSS JOIN LATERAL (${recordOf({ keyId })}) c
    LEFT JOIN ${ownerSql("o", sql`'trade'`, candidates)} owner ON true
    WHERE o.chain_id = ${chainId} AND o.product_type = ${productType} AND o.tx_hash = ${txHash}`;
  const { orders, unverified, recordable } = await queryOne(pool, statement, foundSchema);
  if (orders === 0) return "unindexed";
  if (recordable) return "recordable";
  return unverified ? "unverified" : "owned";
}
