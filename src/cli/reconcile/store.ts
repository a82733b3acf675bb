import type pg from "pg";
import type { Hex } from "viem";
import { INDEX_IS_READY, type IndexedBlock, parseCheckpoint } from "../../db/checkpoint.ts";
import type { ProductId } from "../../protocol/shapes.ts";

// Statements of `reconcile`. They run in one read-only transaction of one snapshot, so that rows and indexed block agree
// however long it takes, and rows come through a cursor, so that memory is bounded.

/** Rows that are compared together. */
export const PAGE = 200;

/** Begins the snapshot. */
export async function beginSnapshot(client: pg.ClientBase): Promise<void> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

/** Returns the indexed block of a chain. @throws ApiError INDEXER_BEHIND */
export async function readIndexedBlock(client: pg.ClientBase, chainId: number): Promise<IndexedBlock> {
  const { rows } = await client.query<{ latest_checkpoint: string }>(
    `SELECT latest_checkpoint FROM onchain._ponder_checkpoint WHERE chain_id = $1 AND ${INDEX_IS_READY}`,
    [chainId],
  );
  return parseCheckpoint(rows[0]?.latest_checkpoint);
}

async function* pagesOf<T extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: string,
): AsyncGenerator<T[]> {
  await client.query(`DECLARE reconcile_rows NO SCROLL CURSOR FOR ${statement}`);
  for (;;) {
    const { rows } = await client.query<T>(`FETCH ${PAGE} FROM reconcile_rows`);
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query("CLOSE reconcile_rows");
}

/** A product, and the block to which its rows are compared. */
export interface Scope extends ProductId {
  block: IndexedBlock;
}

// A cursor's declaration takes no parameters.
const scopeSql = (client: pg.ClientBase, { chainId, productType }: ProductId): string =>
  `t.chain_id = ${Number(chainId)} AND t.product_type = ${client.escapeLiteral(productType)}`;

export interface LedgerRow {
  user_address: Hex;
  /** Null in the ledger of mUSD. */
  stock_address: Hex | null;
  available: string;
  locked: string;
  /** What the last movement left; null where there is none. */
  last_balance: string | null;
}

/** Returns the balances of a ledger that did not change after the block. */
export function ledgerPages(
  client: pg.ClientBase,
  table: "cash_balance" | "stock_balance",
  scope: Scope,
): AsyncGenerator<LedgerRow[]> {
  const stock = table === "stock_balance" ? "t.stock_address" : "NULL::text";
  const movements = `FROM onchain.activity a WHERE a.chain_id = t.chain_id AND a.product_type = t.product_type
    AND a.user_address = t.user_address AND a.asset = coalesce(${stock}, 'mUSD')`;
  return pagesOf(
    client,
    `SELECT t.user_address, ${stock} AS stock_address, t.available::text, t.locked::text,
       (SELECT a.balance_after::text ${movements}
        ORDER BY a.timestamp DESC, a.block_number DESC, a.log_index DESC LIMIT 1) AS last_balance
     FROM onchain.${table} t
     WHERE ${scopeSql(client, scope)} AND NOT EXISTS (SELECT ${movements} AND a.timestamp > ${scope.block.timestamp})`,
  );
}

export interface OrderRow {
  order_id: Hex;
  status: string;
  filled_quantity: string;
  filled_notional: string;
  locked_remaining: string;
}

/** Returns the orders that did not change after the block. */
export function orderPages(client: pg.ClientBase, scope: Scope): AsyncGenerator<OrderRow[]> {
  return pagesOf(
    client,
    `SELECT t.order_id, t.status, t.filled_quantity::text, t.filled_notional::text, t.locked_remaining::text
     FROM onchain.stock_order t WHERE ${scopeSql(client, scope)} AND t.updated_block <= ${scope.block.number}`,
  );
}

export interface DelegationRow {
  user_address: Hex;
  delegatee: Hex | null;
  nonce: string;
}

/** Returns the delegations that did not change after the block. */
export function delegationPages(client: pg.ClientBase, scope: Scope): AsyncGenerator<DelegationRow[]> {
  return pagesOf(
    client,
    `SELECT t.user_address, t.delegatee, t.nonce::text
     FROM onchain.delegation t WHERE ${scopeSql(client, scope)} AND t.updated_at <= ${scope.block.timestamp}`,
  );
}

/** Returns the sending wallets of a chain. */
export async function readWallets(
  client: pg.ClientBase,
  chainId: number,
): Promise<{ address: Hex; next_nonce: string | null }[]> {
  const { rows } = await client.query(
    "SELECT address, next_nonce FROM app.delegatee_wallet WHERE chain_id = $1 ORDER BY address",
    [chainId],
  );
  return rows;
}

/** Nonces of a wallet at two blocks of the chain. */
export interface WalletNonces {
  /** At the block that is compared. */
  block: bigint;
  chainNonce: bigint;
  /** At a final block. */
  finalNonce: bigint;
}

/** Returns requests of a wallet that do not fit its nonces on the chain, the lowest of each kind. */
export async function readMisfits(
  client: pg.ClientBase,
  { chainId, address }: { chainId: number; address: Hex },
  { block, chainNonce, finalNonce }: WalletNonces,
): Promise<{ unaccounted: string | null; premature: string | null }> {
  const { rows } = await client.query<{ unaccounted: string | null; premature: string | null }>(
    `SELECT
       (SELECT request_id || ' (nonce ' || nonce || ')' FROM app.send_request
        WHERE chain_id = $1 AND wallet = $2 AND state IN ('signed', 'broadcast') AND nonce < $3
        ORDER BY nonce LIMIT 1) AS unaccounted,
       (SELECT request_id || ' (nonce ' || nonce || ')' FROM app.send_request
        WHERE chain_id = $1 AND wallet = $2 AND nonce >= $4 AND mined_block <= $5
        ORDER BY nonce LIMIT 1) AS premature`,
    [chainId, address, finalNonce.toString(), chainNonce.toString(), block.toString()],
  );
  return rows[0] ?? { unaccounted: null, premature: null };
}
