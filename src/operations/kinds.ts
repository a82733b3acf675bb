import { join, type Sql, sql } from "../db/sql.ts";
import { CASH_KINDS, type EventResource, type OperationType, STOCK_KINDS } from "../protocol/enums.ts";

/** The kinds of operation that move cash or stock: every kind of transaction but trades. */
export const OPERATION_KINDS = [...CASH_KINDS, ...STOCK_KINDS] as const;
export type OperationKind = Exclude<OperationType, "trade">;

/** The list that has the operations of a kind, as the log of events names it. */
export const RESOURCES: Record<OperationKind, EventResource> = {
  deposit: "cash/deposits",
  withdraw: "cash/withdrawals",
  "stock-deposit": "stock/deposits",
  "stock-withdraw": "stock/withdrawals",
};

const cash = sql`
  SELECT m.chain_id, m.product_type, m.op_id, m.kind, m.user_address, m.token_address, m.order_id, m.tx_hash,
    m.log_index, m.status, m.is_instant, m.token_amount, m.wad_amount, m.usd_rate, m.reject_reason, m.created_at,
    m.settle_tx_hash, m.settled_at, m.updated_at, m.block_number, m.updated_block
  FROM onchain.cash_operation m`;

/** Stock moves at once: the transaction that makes the operation completes it. */
const stock = sql`
  SELECT m.chain_id, m.product_type, m.op_id, m.kind, m.user_address, m.token_address, m.order_id, m.tx_hash,
    m.log_index, 'completed'::text AS status, NULL::boolean AS is_instant, m.amount AS token_amount,
    NULL::numeric AS wad_amount, NULL::numeric AS usd_rate, NULL::integer AS reject_reason, m.created_at,
    m.tx_hash AS settle_tx_hash, m.created_at AS settled_at, m.created_at AS updated_at, m.block_number,
    m.block_number AS updated_block
  FROM onchain.stock_operation m`;

const SOURCES: Record<OperationKind, Sql> = {
  deposit: cash,
  withdraw: cash,
  "stock-deposit": stock,
  "stock-withdraw": stock,
};

/** Returns a SELECT over onchain.* that gives cash and stock the same columns, and has the operations of these kinds. */
export function sourceOf(kinds: readonly OperationKind[]): Sql {
  const sources = new Set(kinds.map((kind) => SOURCES[kind]));
  return join([...sources], " UNION ALL ");
}

export const isDeposit = (kind: OperationKind): boolean => kind === "deposit" || kind === "stock-deposit";
