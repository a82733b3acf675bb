import type { Hex } from "viem";
import { z } from "zod";
import { type ClaimRows, versionOf } from "../claims/indexed-rows.ts";
import { claimSchema } from "../claims/mapping.ts";
import { depositOfOrder } from "../claims/outcome-store.ts";
import { claimColumns, ownerSql, shownUnindexed } from "../claims/ownership.ts";
import { sql } from "../db/sql.ts";
import { CHAIN_ORDER_STATUSES, ORDER_TYPES, SIDES } from "../protocol/enums.ts";
import { storedAmount, storedHex, storedSeconds } from "../protocol/shapes.ts";

const fillSchema = z.object({
  quantity: storedAmount,
  price: storedAmount,
  fee: storedAmount,
  txHash: storedHex,
  timestamp: storedSeconds,
});

const orderSchema = z.object({
  orderId: storedHex,
  logIndex: z.number(),
  ordinal: z.number(),
  blockNumber: z.coerce.number(),
  createdAt: storedSeconds,
  updatedAt: storedSeconds,
  userAddress: storedHex,
  stockAddress: storedHex,
  symbol: z.string().nullable(),
  side: z.enum(SIDES),
  orderType: z.enum(ORDER_TYPES),
  notional: storedAmount.nullable(),
  quantity: storedAmount.nullable(),
  price: storedAmount.nullable(),
  timeInForce: z.number().nullable(),
  deadline: storedSeconds,
  lockedRemaining: storedAmount,
  status: z.enum(CHAIN_ORDER_STATUSES),
  filledQuantity: storedAmount,
  filledNotional: storedAmount,
  fee: storedAmount,
  cancelTxHash: storedHex.nullable(),
  settleTxHash: storedHex.nullable(),
  settledAt: storedSeconds.nullable(),
  rejectReason: z.number().nullable(),
  operationId: storedHex.nullable(),
  fills: z.array(fillSchema),
});
export type OrderRow = z.output<typeof orderSchema>;

const rowSchema = z.object({ orderIds: z.array(storedHex) });

/** One order of a claim; `order` is null while the claim's transaction is not indexed. */
export interface MappedOrder {
  claim: z.output<typeof claimSchema>;
  order: OrderRow | null;
  /** All orders of the same transaction that the claim owns, in log order. */
  orderIds: Hex[];
}

/** Returns an order as orderColumns selects it. */
export function parseOrderRow(row: Record<string, unknown>): MappedOrder {
  return {
    claim: claimSchema.parse(row),
    order: row.orderId === null ? null : orderSchema.parse(row),
    orderIds: rowSchema.parse(row).orderIds,
  };
}

const TRADE = sql`'trade'`;

/** Joins the indexed orders of the claims `c`; `owner` is the claim that owns the order `o`. */
const orderOfClaim = sql`
  LEFT JOIN onchain.stock_order o
    ON o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
  LEFT JOIN ${ownerSql("o", TRADE)} owner ON true
  LEFT JOIN onchain.stock_token t
    ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = o.stock_address`;

/** A claim whose transaction has orders shows those it owns and nothing else. */
const owned = sql`
  c.operation_type = 'trade'
  AND CASE WHEN o.order_id IS NULL THEN ${shownUnindexed} ELSE owner.claim_id = c.claim_id END`;

const columns = sql`
  ${claimColumns},
  o.order_id, o.log_index, o.block_number::text AS block_number, o.created_at::text AS created_at,
  o.updated_at::text AS updated_at, o.user_address, o.stock_address, t.symbol, o.side, o.order_type,
  o.notional::text AS notional, o.quantity::text AS quantity, o.price::text AS price, o.time_in_force,
  o.deadline::text AS deadline, o.locked_remaining::text AS locked_remaining, o.status,
  o.filled_quantity::text AS filled_quantity, o.filled_notional::text AS filled_notional, o.fee::text AS fee,
  o.cancel_tx_hash, o.settle_tx_hash, o.settled_at::text AS settled_at, o.reject_reason,
  ${depositOfOrder("o")} AS operation_id,
  (SELECT coalesce(json_agg(json_build_object('quantity', f.quantity::text, 'price', f.price::text,
      'fee', f.fee::text, 'txHash', f.tx_hash, 'timestamp', f.timestamp::text) ORDER BY f.ordinal), '[]')
    FROM onchain.order_fill f
    WHERE f.chain_id = o.chain_id AND f.product_type = o.product_type AND f.order_id = o.order_id) AS fills`;

/**
 * Holds for an order `s` of the same transaction as `o` that the claim `c` owns, too. The claim owns `o`: only the other orders
 * need their owners.
 */
const isSibling = sql`
  (s.log_index = o.log_index OR EXISTS (SELECT FROM ${ownerSql("s", TRADE)} other WHERE other.claim_id = c.claim_id))`;

/** Selects the columns that parseOrderRow reads, for a claim `c` and an order `o` that it owns; `o` may be null. */
export const orderColumns = sql`
  ${columns},
  (SELECT count(*)::int FROM onchain.stock_order s
    WHERE s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.tx_hash = o.tx_hash
      AND s.log_index < o.log_index) AS ordinal,
  (SELECT coalesce(json_agg(s.order_id ORDER BY s.log_index), '[]') FROM onchain.stock_order s
    WHERE s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.tx_hash = o.tx_hash AND ${isSibling}) AS order_ids`;

/** The orders of claims `c` as SQL, for the projector and its like. A row is identified by its claim and the log index of `o`. */
export const ORDER_ROWS: ClaimRows = {
  columns: orderColumns,
  joins: orderOfClaim,
  where: owned,
  version: versionOf("stock_order", "order_id", "updated_block"),
};
