import type pg from "pg";
import type { Hex } from "viem";
import type { Tx } from "../../db/transaction.ts";
import { type RawSendRow, SEND_COLUMNS, toSendRow } from "../outbox/rows.ts";
import type { OpenRequest } from "./match.ts";
import type { Recreated } from "./recreate.ts";

interface WalletName {
  chainId: number;
  wallet: Hex;
}

/** Returns the next nonce of a wallet, locked until the transaction ends: no worker signs for it meanwhile. */
export async function lockNextNonce(tx: Tx, { chainId, wallet }: WalletName): Promise<bigint | null> {
  const { rows } = await tx.query<{ next_nonce: string | null }>(
    "SELECT next_nonce FROM app.delegatee_wallet WHERE chain_id = $1 AND address = $2 FOR NO KEY UPDATE",
    [chainId, wallet],
  );
  return rows[0]?.next_nonce == null ? null : BigInt(rows[0].next_nonce);
}

/** Returns the next nonce of a wallet; null where it has none yet, or there is no such wallet. */
export async function readNextNonce(pool: pg.Pool, { chainId, wallet }: WalletName): Promise<bigint | null> {
  const { rows } = await pool.query<{ next_nonce: string | null }>(
    "SELECT next_nonce FROM app.delegatee_wallet WHERE chain_id = $1 AND address = $2",
    [chainId, wallet],
  );
  return rows[0]?.next_nonce == null ? null : BigInt(rows[0].next_nonce);
}

/** Returns the requests of a wallet that wait for a nonce or a receipt, in the order of their acceptance. */
export async function readOpenRequests(
  db: pg.Pool | Tx,
  { chainId, wallet }: WalletName,
): Promise<OpenRequest[]> {
  const { rows } = await db.query<RawSendRow & { idempotency_key: string | null }>(
    `SELECT ${SEND_COLUMNS}, idempotency_key FROM app.send_request
     WHERE chain_id = $1 AND wallet = $2 AND state IN ('accepted', 'signed', 'broadcast') ORDER BY sequence`,
    [chainId, wallet],
  );
  return rows.map((row) => ({ ...toSendRow(row), idempotencyKey: row.idempotency_key }));
}

/** Returns the nonces of a wallet, from the first to before the end, that no request has. */
export async function readUnownedNonces(
  pool: pg.Pool,
  { chainId, wallet }: WalletName,
  { first, end }: { first: bigint; end: bigint },
): Promise<bigint[]> {
  const { rows } = await pool.query<{ nonce: string }>(
    `SELECT n.nonce FROM generate_series($3::bigint, $4::bigint - 1) AS n (nonce)
     WHERE NOT EXISTS (SELECT FROM app.send_request r WHERE r.chain_id = $1 AND r.wallet = $2 AND r.nonce = n.nonce)
     ORDER BY n.nonce`,
    [chainId, wallet, first.toString(), end.toString()],
  );
  return rows.map(({ nonce }) => BigInt(nonce));
}

/** Returns those of some API keys that the database has, by their ids. */
export async function readExistingKeys(pool: pg.Pool, keyIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ key_id: string }>(
    "SELECT key_id FROM app.api_key WHERE key_id = ANY($1::uuid[])",
    [keyIds],
  );
  return new Set(rows.map(({ key_id }) => key_id));
}

/** Writes requests that were made anew, each with its claim, its MACs and its nonce. */
export async function insertRecreated(tx: Tx, requests: readonly Recreated[]): Promise<void> {
  const found = requests.map(({ trailer, transaction, ...request }) => ({
    ...request,
    ...{ gasLimit: request.gasLimit.toString(), deadline: request.deadline?.toString() ?? null },
    notional: request.notional?.toString() ?? null,
    ...trailer,
    ...{ nonce: transaction.nonce.toString(), sentAt: transaction.minedAt.toISOString() },
  }));
  await tx.query("SELECT app.recreate_requests($1::jsonb)", [JSON.stringify(found)]);
}

/**
 * Gives an accepted request the nonce with which the chain has it.
 * @returns false where it is not accepted any more
 */
export async function adoptNonce(tx: Tx, requestId: string, nonce: bigint): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE app.send_request SET state = 'broadcast', nonce = $2, signed_at = now(), broadcast_at = now()
     WHERE request_id = $1 AND state = 'accepted'`,
    [requestId, nonce.toString()],
  );
  return rowCount === 1;
}

/** Returns the hashes of everything that was signed for some requests, by request. */
export async function readAttemptHashes(
  db: pg.Pool | Tx,
  requestIds: readonly string[],
): Promise<{ requestId: string; hash: Hex }[]> {
  const { rows } = await db.query<{ request_id: string; tx_hash: Hex }>(
    `SELECT request_id, tx_hash FROM app.send_attempt
     WHERE request_id = ANY($1::uuid[]) AND tx_hash IS NOT NULL ORDER BY attempt_id`,
    [requestIds],
  );
  return rows.map(({ request_id, tx_hash }) => ({ requestId: request_id, hash: tx_hash }));
}
