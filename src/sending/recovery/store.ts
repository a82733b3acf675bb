import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, type Queryable, queryMaybeOne, queryRows } from "../../db/query.ts";
import { empty, raw, type Sql, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { isReserved, sendColumns, sendSchema } from "../outbox/rows.ts";
import type { OpenRequest } from "./match.ts";
import type { Recreated } from "./recreate.ts";

interface WalletName {
  chainId: number;
  wallet: Hex;
}

/** Returns the next nonce of a wallet, locked until the transaction ends: no worker signs for it meanwhile. */
export const lockNextNonce = (tx: Tx, wallet: WalletName): Promise<bigint | null> =>
  nextNonceOf(tx, wallet, sql`FOR NO KEY UPDATE`);

/** Returns the next nonce of a wallet; null where it has none yet, or there is no such wallet. */
export const readNextNonce = (pool: pg.Pool, wallet: WalletName): Promise<bigint | null> =>
  nextNonceOf(pool, wallet, empty);

const nextSchema = z.object({ nextNonce: z.coerce.bigint().nullable() });

async function nextNonceOf(
  db: Queryable,
  { chainId, wallet }: WalletName,
  lock: Sql,
): Promise<bigint | null> {
  const statement = sql`
    SELECT next_nonce FROM app.delegatee_wallet WHERE chain_id = ${chainId} AND address = ${wallet} ${lock}`;
  return (await queryMaybeOne(db, statement, nextSchema))?.nextNonce ?? null;
}

const openSchema = sendSchema.extend({ idempotencyKey: z.string().nullable() });

/** Returns the requests of a wallet that wait for a nonce or a receipt, in the order of their acceptance. */
export function readOpenRequests(db: Queryable, { chainId, wallet }: WalletName): Promise<OpenRequest[]> {
  const statement = sql`
    SELECT ${sendColumns()}, idempotency_key FROM app.send_request
    WHERE chain_id = ${chainId} AND wallet = ${wallet} AND state IN ('accepted', 'signed', 'broadcast') ORDER BY sequence`;
  return queryRows(db, statement, openSchema);
}

const nonceSchema = z.object({ nonce: z.coerce.bigint() });

/** Returns the nonces of a wallet that no request has, from the first to before the end. */
export async function readUnownedNonces(
  pool: pg.Pool,
  { chainId, wallet }: WalletName,
  { first, end }: { first: bigint; end: bigint },
): Promise<bigint[]> {
  const statement = sql`
    SELECT n.nonce FROM generate_series(${first}::bigint, ${end}::bigint - 1) AS n (nonce)
    WHERE NOT EXISTS (
      SELECT FROM app.send_request r WHERE r.chain_id = ${chainId} AND r.wallet = ${wallet} AND r.nonce = n.nonce)
    ORDER BY n.nonce`;
  return (await queryRows(pool, statement, nonceSchema)).map(({ nonce }) => nonce);
}

const keySchema = z.object({ keyId: z.string() });

/** Returns which of some API keys the database has, by their ids. */
export async function readExistingKeys(pool: pg.Pool, keyIds: readonly string[]): Promise<Set<string>> {
  const statement = sql`SELECT key_id FROM app.api_key WHERE key_id = ANY(${keyIds}::uuid[])`;
  return new Set((await queryRows(pool, statement, keySchema)).map(({ keyId }) => keyId));
}

/** Inserts re-created requests, each with its claim, its MACs and its nonce. */
export async function insertRecreated(tx: Tx, requests: readonly Recreated[]): Promise<void> {
  const found = requests.map(({ trailer, transaction, ...request }) => ({
    ...request,
    gasLimit: request.gasLimit.toString(),
    deadline: request.deadline?.toString() ?? null,
    notional: request.notional?.toString() ?? null,
    ...trailer,
    nonce: transaction.nonce.toString(),
    sentAt: transaction.minedAt.toISOString(),
  }));
  await execute(tx, sql`SELECT app.recreate_requests(${JSON.stringify(found)}::jsonb)`);
}

/**
 * Gives a request that is not signed its nonce on the chain.
 * @returns false where it is signed, or another nonce is reserved for it
 */
export async function adoptNonce(tx: Tx, requestId: string, nonce: bigint): Promise<boolean> {
  const statement = sql`
    UPDATE app.send_request r SET state = 'broadcast', nonce = ${nonce}, reserved_max_fee = NULL, reserved_tip = NULL,
      signed_at = now(), broadcast_at = now()
    WHERE request_id = ${requestId} AND (state = 'accepted' OR ${raw(isReserved("r"))} AND nonce = ${nonce})`;
  return (await execute(tx, statement)) === 1;
}

const hashSchema = z.object({ requestId: z.string(), hash: storedHex });

/** Returns the hashes of all attempts of some requests, by request. */
export function readAttemptHashes(
  db: Queryable,
  requestIds: readonly string[],
): Promise<z.output<typeof hashSchema>[]> {
  const statement = sql`
    SELECT request_id, tx_hash AS hash FROM app.send_attempt
    WHERE request_id = ANY(${requestIds}::uuid[]) AND tx_hash IS NOT NULL ORDER BY attempt_id`;
  return queryRows(db, statement, hashSchema);
}
