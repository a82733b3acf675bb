import { Prisma } from "../db/generated/client.ts";
import type { OperationType } from "../protocol/enums.ts";

/** The kinds of operation that move cash or stock: every kind of transaction but trades. */
export type OperationKind = Exclude<OperationType, "trade">;

interface Source {
  /** A SELECT over onchain.* that gives cash and stock the same columns. */
  rows: Prisma.Sql;
  isDeposit: boolean;
}

const cash = Prisma.sql`
  SELECT m.chain_id, m.product_type, m.op_id, m.kind, m.user_address, m.token_address, m.order_id, m.tx_hash,
    m.log_index, m.status, m.is_instant, m.token_amount, m.wad_amount, m.reject_reason, m.created_at,
    m.settle_tx_hash, m.settled_at, m.updated_at
  FROM onchain.cash_operation m`;

/** Stock moves at once: the transaction that makes the operation completes it. */
const stock = Prisma.sql`
  SELECT m.chain_id, m.product_type, m.op_id, m.kind, m.user_address, m.token_address, m.order_id, m.tx_hash,
    m.log_index, 'completed' AS status, NULL::boolean AS is_instant, m.amount AS token_amount,
    NULL::numeric AS wad_amount, NULL::integer AS reject_reason, m.created_at,
    m.tx_hash AS settle_tx_hash, m.created_at AS settled_at, m.created_at AS updated_at
  FROM onchain.stock_operation m`;

export const SOURCES: Record<OperationKind, Source> = {
  deposit: { rows: cash, isDeposit: true },
  withdraw: { rows: cash, isDeposit: false },
  "stock-deposit": { rows: stock, isDeposit: true },
  "stock-withdraw": { rows: stock, isDeposit: false },
};
