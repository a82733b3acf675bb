import type { Hex } from "viem";
import { z } from "zod";
import type { IndexedBlock } from "../../../../src/db/checkpoint.ts";
import { empty, raw, type Sql, sql } from "../../../../src/db/sql.ts";
import type { ProductId } from "../../../../src/protocol/shapes.ts";
import type { Source } from "./pages.ts";

/** A product. With a block, rows that changed after it are left out. */
export interface SourceScope extends ProductId {
  block: IndexedBlock | null;
}

const inScope = ({ chainId, productType }: ProductId): Sql =>
  sql`t.chain_id = ${chainId}::int AND t.product_type = ${productType}::text`;

const ledgerSchema = z.object({
  userAddress: z.custom<Hex>(),
  /** Null in the ledger of mUSD. */
  stockAddress: z.custom<Hex>().nullable(),
  available: z.string(),
  locked: z.string(),
  /** Balance after the last movement; null without one. */
  lastBalance: z.string().nullable(),
});
export type LedgerRow = z.output<typeof ledgerSchema>;

/** Returns the balances of a ledger. */
export function ledger(table: "cash_balance" | "stock_balance", scope: SourceScope): Source<LedgerRow> {
  const isStock = table === "stock_balance";
  const stock = raw(isStock ? "t.stock_address" : "NULL::text");
  const movements = sql`FROM onchain.activity a WHERE a.chain_id = t.chain_id
    AND a.product_type = t.product_type AND a.user_address = t.user_address AND a.asset = coalesce(${stock}, 'mUSD')`;
  const { block } = scope;
  const unchanged = block
    ? sql`AND NOT EXISTS (SELECT ${movements} AND a.timestamp > ${block.timestamp.toString()}::numeric)`
    : empty;
  return {
    table: `onchain.${table}`,
    key: [["user_address", "text"], ...(isStock ? ([["stock_address", "text"]] as const) : [])],
    where: sql`${inScope(scope)} ${unchanged}`,
    columns: sql`t.user_address, ${stock} AS stock_address, t.available::text, t.locked::text,
      (SELECT a.balance_after::text ${movements}
       ORDER BY a.timestamp DESC, a.block_number DESC, a.log_index DESC LIMIT 1) AS last_balance`,
    row: ledgerSchema,
  };
}

const orderSchema = z.object({
  orderId: z.custom<Hex>(),
  status: z.string(),
  filledQuantity: z.string(),
  filledNotional: z.string(),
  lockedRemaining: z.string(),
});
export type OrderRow = z.output<typeof orderSchema>;

/** Returns the orders. */
export function orders(scope: SourceScope): Source<OrderRow> {
  const { block } = scope;
  const unchanged = block ? sql`AND t.updated_block <= ${block.number.toString()}::numeric` : empty;
  return {
    table: "onchain.stock_order",
    key: [["order_id", "text"]],
    where: sql`${inScope(scope)} ${unchanged}`,
    columns: sql`t.order_id, t.status, t.filled_quantity::text, t.filled_notional::text, t.locked_remaining::text`,
    row: orderSchema,
  };
}

const delegationSchema = z.object({
  userAddress: z.custom<Hex>(),
  delegatee: z.custom<Hex>().nullable(),
  nonce: z.string(),
});
export type DelegationRow = z.output<typeof delegationSchema>;

/** Returns the delegations. */
export function delegations(scope: SourceScope): Source<DelegationRow> {
  const { block } = scope;
  const unchanged = block ? sql`AND t.updated_at <= ${block.timestamp.toString()}::numeric` : empty;
  return {
    table: "onchain.delegation",
    key: [["user_address", "text"]],
    where: sql`${inScope(scope)} ${unchanged}`,
    columns: sql`t.user_address, t.delegatee, t.nonce::text`,
    row: delegationSchema,
  };
}
