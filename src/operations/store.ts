import { z } from "zod";
import { type ClaimRows, versionOf } from "../claims/indexed-rows.ts";
import { claimSchema } from "../claims/mapping.ts";
import { claimColumns, ownerSql, shownUnindexed } from "../claims/ownership.ts";
import { sql } from "../db/sql.ts";
import { CHAIN_OPERATION_STATUSES } from "../protocol/enums.ts";
import { OPERATION_KINDS } from "../protocol/operations.ts";
import { storedAmount, storedHex, storedSeconds } from "../protocol/shapes.ts";

const operationSchema = z.object({
  opId: storedHex,
  kind: z.enum(OPERATION_KINDS),
  ordinal: z.number(),
  userAddress: storedHex,
  tokenAddress: storedHex,
  orderId: storedHex.nullable(),
  status: z.enum(CHAIN_OPERATION_STATUSES),
  isInstant: z.boolean().nullable(),
  tokenAmount: storedAmount.nullable(),
  wadAmount: storedAmount.nullable(),
  rejectReason: z.number().nullable(),
  createdAt: storedSeconds,
  settleTxHash: storedHex.nullable(),
  settledAt: storedSeconds.nullable(),
  /** Of cash tokens; null on stock. */
  decimals: z.number().nullable(),
  /** The rate at the completion of a cash operation: mUSD per token, 6 decimals. */
  usdRate: storedAmount.nullable(),
});
export type OperationRow = z.output<typeof operationSchema>;

/** One operation of a claim; `operation` is null while the claim's transaction is not indexed. */
export interface MappedOperation {
  claim: z.output<typeof claimSchema>;
  operation: OperationRow | null;
}

/** Returns an operation as the columns of OPERATION_ROWS select it. */
export function parseOperationRow(row: Record<string, unknown>): MappedOperation {
  return {
    claim: claimSchema.parse(row),
    operation: row.opId === null ? null : operationSchema.parse(row),
  };
}

/** A SELECT over onchain.* that gives cash and stock the same columns. Stock moves at once: the transaction that makes its operation completes it. */
export const OPERATION_SOURCE = sql`
  SELECT m.chain_id, m.product_type, m.op_id, m.kind, m.user_address, m.token_address, m.order_id, m.tx_hash,
    m.log_index, m.status, m.is_instant, m.token_amount, m.wad_amount, m.usd_rate, m.reject_reason, m.created_at,
    m.settle_tx_hash, m.settled_at, m.updated_at, m.block_number, m.updated_block
  FROM onchain.cash_operation m
  UNION ALL
  SELECT m.chain_id, m.product_type, m.op_id, m.kind, m.user_address, m.token_address, m.order_id, m.tx_hash,
    m.log_index, 'completed'::text AS status, NULL::boolean AS is_instant, m.amount AS token_amount,
    NULL::numeric AS wad_amount, NULL::numeric AS usd_rate, NULL::integer AS reject_reason, m.created_at,
    m.tx_hash AS settle_tx_hash, m.created_at AS settled_at, m.created_at AS updated_at, m.block_number,
    m.block_number AS updated_block
  FROM onchain.stock_operation m`;

/** The deposit of a combined call belongs to whoever owns its order, through the order's claim. */
const CLAIM_TYPE = sql`CASE WHEN o.order_id IS NULL THEN o.kind ELSE 'trade' END`;

/** Joins what is indexed of the claims `c`; `owner` is the claim that owns the operation `o`. */
const operationOfClaim = sql`
  LEFT JOIN (${OPERATION_SOURCE}) o
    ON o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
      AND (o.order_id IS NOT NULL AND c.operation_type = 'trade'
        OR o.order_id IS NULL AND c.operation_type::text = o.kind)
  LEFT JOIN ${ownerSql("o", CLAIM_TYPE)} owner ON true
  LEFT JOIN onchain.cash_token t
    ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = o.token_address`;

/** Holds for the rows that a claim shows: where its transaction has such operations, those that the claim owns. */
const owned = sql`
  CASE
    WHEN o.op_id IS NULL THEN c.operation_type <> 'trade' AND ${shownUnindexed}
    ELSE owner.claim_id = c.claim_id
  END`;

/** Number of an operation within its mapping's transaction; of a combined deposit, that of its order. */
const ordinal = sql`
  CASE
    WHEN o.order_id IS NULL THEN (SELECT count(*)::int FROM (${OPERATION_SOURCE}) s
      WHERE s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.tx_hash = o.tx_hash
        AND s.kind = o.kind AND s.order_id IS NULL AND s.log_index < o.log_index)
    ELSE (SELECT count(*)::int FROM onchain.stock_order p JOIN onchain.stock_order q
        ON q.chain_id = p.chain_id AND q.product_type = p.product_type AND q.tx_hash = p.tx_hash
          AND p.log_index < q.log_index
      WHERE q.chain_id = o.chain_id AND q.product_type = o.product_type AND q.order_id = o.order_id)
  END`;

const columns = sql`
  ${claimColumns},
  o.op_id, o.kind, o.log_index, ${ordinal} AS ordinal, o.user_address, o.token_address, o.order_id, o.status,
  o.is_instant, o.token_amount::text AS token_amount, o.wad_amount::text AS wad_amount, o.reject_reason,
  o.created_at::text AS created_at, o.settle_tx_hash, o.settled_at::text AS settled_at, t.decimals,
  o.usd_rate::text AS usd_rate`;

const VERSION = sql`
  ${versionOf("cash_operation", "op_id", "updated_block")} UNION ALL
  ${versionOf("stock_operation", "op_id", "block_number")}`;

/** The operations of claims `c` as SQL: for the projector and its like. */
export const OPERATION_ROWS: ClaimRows = { columns, joins: operationOfClaim, where: owned, version: VERSION };
