import type pg from "pg";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { type IndexedBlock, readAtBlock } from "../db/checkpoint.ts";
import { join, raw, type Sql, sql } from "../db/sql.ts";
import { OPERATION_TYPES, type OperationType } from "../protocol/enums.ts";
import { OPERATIONS } from "../protocol/operations.ts";
import { storedHex } from "../protocol/shapes.ts";
import type { ClaimKey } from "./claim-store.ts";
import { type Claim, claimSchema, type Outcome } from "./mapping.ts";
import { boundUser, claimColumns, isRebound, lacksVerdict, ownerSql, UNBOUND } from "./ownership.ts";

/** The indexed outcome of a key's claim. */
export interface IndexedClaim {
  block: IndexedBlock;
  /** First order or operation that the claim owns; null where it owns none of those there are. */
  own: { claim: Claim; outcome: Outcome } | null;
  /** True where it may own some of it once it is recorded again: its suffix is verified then, its rule and its user are the present ones. */
  open: boolean;
  /** True where it may rank better once it is recorded again: all of it is its key's user's, who was not bound to it before. */
  rebound: boolean;
}

const rowSchema = claimSchema.extend({
  ordinal: z.number(),
  userAddress: storedHex,
  orderId: storedHex.nullable(),
  operationId: storedHex.nullable(),
  mine: z.boolean(),
  open: z.boolean(),
  rebound: z.boolean(),
});

/**
 * Returns what a claim came to according to the index.
 * @returns null where nothing of the transaction's doing of this kind is indexed
 * @throws ApiError INDEXER_BEHIND
 */
export async function readIndexedClaim(
  pool: pg.Pool,
  caller: Caller,
  { operationType, txHash }: ClaimKey,
): Promise<IndexedClaim | null> {
  const statement = sql`
    SELECT ${claimColumns}, o.user_address, o.order_id, o.operation_id,
      (row_number() OVER (ORDER BY o.log_index) - 1)::int AS ordinal,
      coalesce(owner.claim_id = c.claim_id, false) AS mine,
      c.source = 'recorded' AND (c.rule_version IS NULL OR ${isRebound(caller)} OR ${lacksVerdict("c")}) AS open,
      ${isRebound(caller)} AND (${boundUser("c")} <> ${UNBOUND} OR c.state <> 'final')
        AND coalesce(bool_and(o.user_address = ${caller.userAddress}::text) OVER (), false) AS rebound
    FROM app.transaction_claim c
    JOIN (${outcomesSql(operationType)}) o
      ON o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
    LEFT JOIN ${ownerSql("o", sql`${operationType}`)} owner ON true
    WHERE c.key_id = ${caller.keyId}::uuid AND c.chain_id = ${caller.chainId}
      AND c.product_type = ${caller.productType} AND c.operation_type::text = ${operationType}
      AND c.tx_hash = ${txHash}
    ORDER BY o.log_index`;
  const { block, data } = await readAtBlock(pool, caller.chainId, statement, rowSchema);
  const [first] = data;
  if (first === undefined) return null;
  const { open, rebound } = first;
  const own = data.find(({ mine }) => mine);
  return { block, open, rebound, own: own ? { claim: own, outcome: { ...own, indexed: true } } : null };
}

/** Returns the orders, or the operations of their own, that claims of a kind are about. */
function outcomesSql(operationType: OperationType): Sql {
  if (operationType === "trade") {
    return sql`
      SELECT t.chain_id, t.product_type, t.tx_hash, t.log_index, t.user_address, t.order_id,
        ${depositOfOrder("t")} AS operation_id
      FROM onchain.stock_order t`;
  }
  const isCash = OPERATIONS[operationType].asset === "cash";
  const table = isCash ? sql`onchain.cash_operation` : sql`onchain.stock_operation`;
  return sql`
    SELECT t.chain_id, t.product_type, t.tx_hash, t.log_index, t.user_address, NULL::text AS order_id,
      t.op_id AS operation_id
    FROM ${table} t WHERE t.kind = ${operationType} AND t.order_id IS NULL`;
}

/**
 * Selects the first order or operation, by log order, that the claim `c` owns in the index: a FROM item with user_address,
 * order_id, operation_id and ordinal, one row or none.
 */
export const outcomeOfClaim: Sql = sql`LATERAL (
  SELECT n.user_address, n.order_id, n.operation_id, n.ordinal FROM (
    SELECT t.*, (row_number() OVER (ORDER BY t.log_index) - 1)::int AS ordinal
    FROM (${join(OPERATION_TYPES.map(outcomesOfClaim), " UNION ALL ")}) t) n
  JOIN ${ownerSql("n", sql`c.operation_type::text`)} owner ON owner.claim_id = c.claim_id
  ORDER BY n.log_index LIMIT 1)`;

function outcomesOfClaim(operationType: OperationType): Sql {
  return sql`
    SELECT s.* FROM (${outcomesSql(operationType)}) s
    WHERE c.operation_type::text = ${operationType} AND s.chain_id = c.chain_id AND s.product_type = c.product_type
      AND s.tx_hash = c.tx_hash`;
}

/** Returns the operation id of the deposit that a combined call made with an order, or NULL. */
export function depositOfOrder(alias: "o" | "t"): Sql {
  const order = raw(alias);
  return sql`
    coalesce(${order}.deposit_op_id, (SELECT m.op_id FROM onchain.stock_operation m
      WHERE m.chain_id = ${order}.chain_id AND m.product_type = ${order}.product_type
        AND m.tx_hash = ${order}.tx_hash AND m.order_id = ${order}.order_id LIMIT 1))`;
}
