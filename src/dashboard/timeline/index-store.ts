import { z } from "zod";
import { ownerSql } from "../../claims/ownership.ts";
import type { Deps } from "../../context/deps.ts";
import { type IndexedBlock, readSetAtBlock } from "../../db/checkpoint.ts";
import { whereIndexed } from "../../db/errors.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { OPERATION_SOURCE } from "../../operations/store.ts";
import { CHAIN_OPERATION_STATUSES, CHAIN_ORDER_STATUSES, ORDER_TYPES, SIDES } from "../../protocol/enums.ts";
import { OPERATION_KINDS } from "../../protocol/operations.ts";
import { storedAmount, storedHex, storedSeconds } from "../../protocol/shapes.ts";
import type { Subject } from "./subject-store.ts";

/** Reads what the index has of a timeline's object, in one statement with the block that it was read at. */

const block = z.string().transform((value) => BigInt(value));

const fillSchema = z.object({
  quantity: storedAmount,
  price: storedAmount,
  fee: storedAmount,
  txHash: storedHex,
  timestamp: storedSeconds,
  blockNumber: block,
});
export type FillRow = z.output<typeof fillSchema>;

const madeFields = {
  productType: z.string(),
  userAddress: storedHex,
  txHash: storedHex,
  blockNumber: block,
  createdAt: storedSeconds,
  updatedBlock: block,
  settleTxHash: storedHex.nullable(),
  settledAt: storedSeconds.nullable(),
  rejectReason: z.number().nullable(),
  /** Claim that owns it, or null. */
  owner: z.string().nullable(),
};

const orderSchema = z.object({
  ...madeFields,
  orderId: storedHex,
  symbol: z.string().nullable(),
  side: z.enum(SIDES),
  orderType: z.enum(ORDER_TYPES),
  notional: storedAmount.nullable(),
  quantity: storedAmount.nullable(),
  price: storedAmount.nullable(),
  status: z.enum(CHAIN_ORDER_STATUSES),
  filledQuantity: storedAmount,
  fillCount: z.number(),
  cancelTxHash: storedHex.nullable(),
  updatedAt: storedSeconds,
  fills: z.array(fillSchema),
});
export type OrderRow = z.output<typeof orderSchema>;

const operationSchema = z.object({
  ...madeFields,
  opId: storedHex,
  kind: z.enum(OPERATION_KINDS),
  status: z.enum(CHAIN_OPERATION_STATUSES),
  orderId: storedHex.nullable(),
  tokenAmount: storedAmount.nullable(),
  wadAmount: storedAmount.nullable(),
  decimals: z.number().nullable(),
  symbol: z.string().nullable(),
});
export type OperationRow = z.output<typeof operationSchema>;

const rowSchema = z.object({ orders: z.array(orderSchema), operations: z.array(operationSchema) });

/** The rows of the index; `block` is null while it is not ready. */
export interface Indexed extends z.output<typeof rowSchema> {
  block: IndexedBlock | null;
}

const NOTHING: Indexed = { orders: [], operations: [], block: null };

/** Fills that a timeline shows one by one, and orders or operations of a transaction. */
export const FILLS_MAX = 100;
const MADE_MAX = 50;

const made = sql`
  o.product_type AS "productType", o.user_address AS "userAddress", o.tx_hash AS "txHash",
  o.block_number::text AS "blockNumber", o.created_at::text AS "createdAt", o.updated_block::text AS "updatedBlock",
  o.settle_tx_hash AS "settleTxHash", o.settled_at::text AS "settledAt", o.reject_reason AS "rejectReason",
  owner.claim_id::text AS owner`;

const FILLS = sql`
  (SELECT coalesce(json_agg(f.*), '[]') FROM (
    SELECT f.quantity::text AS quantity, f.price::text AS price, f.fee::text AS fee, f.tx_hash AS "txHash",
      f.timestamp::text AS timestamp, f.block_number::text AS "blockNumber"
    FROM onchain.order_fill f
    WHERE f.chain_id = o.chain_id AND f.product_type = o.product_type AND f.order_id = o.order_id
    ORDER BY f.ordinal LIMIT ${FILLS_MAX}) f)`;

const STOCK_TOKEN = sql`
  LEFT JOIN onchain.stock_token t
    ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = `;

const ordersSql = (where: Sql): Sql => sql`
  SELECT ${made}, o.order_id AS "orderId", t.symbol, o.side, o.order_type AS "orderType", o.notional::text AS notional, o.quantity::text AS quantity,
    o.price::text AS price, o.status, o.filled_quantity::text AS "filledQuantity",
    o.fill_count AS "fillCount", o.cancel_tx_hash AS "cancelTxHash", o.updated_at::text AS "updatedAt", ${FILLS} AS fills
  FROM onchain.stock_order o LEFT JOIN ${ownerSql("o", sql`'trade'`)} owner ON true
  ${STOCK_TOKEN} o.stock_address
  WHERE ${where} ORDER BY o.log_index LIMIT ${MADE_MAX}`;

const CLAIM_TYPE = sql`CASE WHEN o.order_id IS NULL THEN o.kind ELSE 'trade' END`;

const operationsSql = (where: Sql): Sql => sql`
  SELECT ${made}, o.op_id AS "opId", o.kind, o.status, o.order_id AS "orderId", o.token_amount::text AS "tokenAmount",
    o.wad_amount::text AS "wadAmount", k.decimals, t.symbol
  FROM (${OPERATION_SOURCE}) o LEFT JOIN ${ownerSql("o", CLAIM_TYPE)} owner ON true
  LEFT JOIN onchain.cash_token k
    ON k.chain_id = o.chain_id AND k.product_type = o.product_type AND k.token_address = o.token_address
  ${STOCK_TOKEN} o.token_address
  WHERE ${where} ORDER BY o.log_index LIMIT ${MADE_MAX}`;

/**
 * Returns the orders and operations of a timeline: those of its transaction, or the one that it is about, an order with the
 * deposit of its combined call.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export function readIndexed({ pool }: Pick<Deps, "pool">, subject: Subject): Promise<Indexed> {
  const { orders, operations } = conditions(subject);
  const list = (rows: Sql) => sql`(SELECT coalesce(json_agg(r.*), '[]') FROM (${rows}) r)`;
  const statement = sql`SELECT ${list(ordersSql(orders))} AS orders, ${list(operationsSql(operations))} AS operations`;
  return whereIndexed(async () => {
    const { block: at, data } = await readSetAtBlock(pool, subject.chainId, statement, rowSchema);
    return { ...NOTHING, ...data[0], block: at };
  }, NOTHING);
}

function conditions(subject: Subject): { orders: Sql; operations: Sql } {
  const { kind, id, chainId, productType, txHash } = subject;
  const scope = sql`o.chain_id = ${chainId} AND o.product_type = ${productType}`;
  if (kind === "order") {
    return {
      orders: sql`${scope} AND o.order_id = ${id}`,
      operations: sql`${scope} AND o.order_id = ${id}`,
    };
  }
  if (kind === "operation") {
    return { orders: sql`false`, operations: sql`${scope} AND o.op_id = ${id}` };
  }
  const where = sql`o.chain_id = ${chainId} AND o.tx_hash = ${txHash}`;
  return { orders: where, operations: where };
}
