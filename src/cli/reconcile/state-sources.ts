import type { Hex } from "viem";
import type { IndexedBlock } from "../../db/checkpoint.ts";
import { Prisma } from "../../db/generated/client.ts";
import type { ProductId } from "../../protocol/shapes.ts";
import type { Source } from "./pages.ts";

/** A product. Where a block is given, rows that changed after it are left out. */
export interface SourceScope extends ProductId {
  block: IndexedBlock | null;
}

const inScope = ({ chainId, productType }: ProductId): Prisma.Sql =>
  Prisma.sql`t.chain_id = ${chainId}::int AND t.product_type = ${productType}::text`;

export interface LedgerRow {
  user_address: Hex;
  /** Null in the ledger of mUSD. */
  stock_address: Hex | null;
  available: string;
  locked: string;
  /** The balance after the last movement; null where there is none. */
  last_balance: string | null;
}

/** Returns the balances of a ledger. */
export function ledger(table: "cash_balance" | "stock_balance", scope: SourceScope): Source {
  const isStock = table === "stock_balance";
  const stock = Prisma.raw(isStock ? "t.stock_address" : "NULL::text");
  const movements = Prisma.sql`FROM onchain.activity a WHERE a.chain_id = t.chain_id
    AND a.product_type = t.product_type AND a.user_address = t.user_address AND a.asset = coalesce(${stock}, 'mUSD')`;
  const { block } = scope;
  const unchanged = block
    ? Prisma.sql`AND NOT EXISTS (SELECT ${movements} AND a.timestamp > ${block.timestamp.toString()}::numeric)`
    : Prisma.empty;
  return {
    table: `onchain.${table}`,
    key: [["user_address", "text"], ...(isStock ? ([["stock_address", "text"]] as const) : [])],
    where: Prisma.sql`${inScope(scope)} ${unchanged}`,
    columns: Prisma.sql`t.user_address, ${stock} AS stock_address, t.available::text, t.locked::text,
      (SELECT a.balance_after::text ${movements}
       ORDER BY a.timestamp DESC, a.block_number DESC, a.log_index DESC LIMIT 1) AS last_balance`,
  };
}

export interface OrderRow {
  order_id: Hex;
  status: string;
  filled_quantity: string;
  filled_notional: string;
  locked_remaining: string;
}

/** Returns the orders. */
export function orders(scope: SourceScope): Source {
  const { block } = scope;
  const unchanged = block
    ? Prisma.sql`AND t.updated_block <= ${block.number.toString()}::numeric`
    : Prisma.empty;
  return {
    table: "onchain.stock_order",
    key: [["order_id", "text"]],
    where: Prisma.sql`${inScope(scope)} ${unchanged}`,
    columns: Prisma.sql`t.order_id, t.status, t.filled_quantity::text, t.filled_notional::text, t.locked_remaining::text`,
  };
}

export interface DelegationRow {
  user_address: Hex;
  delegatee: Hex | null;
  nonce: string;
}

/** Returns the delegations. */
export function delegations(scope: SourceScope): Source {
  const { block } = scope;
  const unchanged = block
    ? Prisma.sql`AND t.updated_at <= ${block.timestamp.toString()}::numeric`
    : Prisma.empty;
  return {
    table: "onchain.delegation",
    key: [["user_address", "text"]],
    where: Prisma.sql`${inScope(scope)} ${unchanged}`,
    columns: Prisma.sql`t.user_address, t.delegatee, t.nonce::text`,
  };
}
