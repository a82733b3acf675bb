import type pg from "pg";
import type { Hex } from "viem";
import type { Tx } from "../../db/transaction.ts";
import type { UserScope } from "../../sending/delegation/store.ts";

// Statements of `partner-trading-admin wallets`. They run in one transaction with those of the sending side.

/** Lets a wallet send again, from a nonce on where that is ahead. @returns false where there is no such wallet */
export async function resumeWallet(tx: Tx, chainId: number, wallet: Hex, nonce: bigint): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE app.delegatee_wallet SET state = 'active', state_reason = NULL, next_nonce = greatest(next_nonce, $3)
     WHERE chain_id = $1 AND address = $2`,
    [chainId, wallet, nonce.toString()],
  );
  return rowCount !== 0;
}

/** Returns the public ids of API keys, by their own. */
export async function readPublicKeys(
  pool: pg.Pool,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ key_id: string; api_key: string }>(
    "SELECT key_id, api_key FROM app.api_key WHERE key_id = ANY($1::uuid[])",
    [keyIds],
  );
  return new Map(rows.map(({ key_id, api_key }) => [key_id, api_key]));
}

/**
 * Locks a request that has a nonce and no receipt.
 * @returns false where it is another by now: mined, final, failed or canceled
 */
export async function lockUnmined(tx: Tx, requestId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    "SELECT FROM app.send_request WHERE request_id = $1 AND state IN ('signed', 'broadcast') FOR UPDATE",
    [requestId],
  );
  return rowCount !== 0;
}

/**
 * Returns users for whom a wallet may send, or could once an enable that is under way is mined: in a fixed order, at most
 * `limit` after the one given, or the first.
 */
export async function readDelegators(
  pool: pg.Pool,
  { chainId, wallet, after }: { chainId: number; wallet: Hex; after: UserScope | undefined },
  limit: number,
): Promise<UserScope[]> {
  const { rows } = await pool.query<{ product_type: string; user_address: Hex }>(
    `SELECT d.product_type, d.user_address FROM app.delegation d
     WHERE d.chain_id = $1 AND d.delegatee = $2 AND (d.product_type, d.user_address) > ($3, $4) AND (NOT d.blocked OR EXISTS (
       SELECT FROM app.send_request r
       WHERE r.chain_id = d.chain_id AND r.product_type = d.product_type AND r.user_address = d.user_address
         AND r.operation = '1ct/enable' AND r.delegation_epoch = d.epoch
         AND r.state IN ('accepted', 'signed', 'broadcast', 'mined')))
     ORDER BY d.product_type, d.user_address LIMIT $5`,
    [chainId, wallet, after?.productType ?? "", after?.user ?? "", limit],
  );
  return rows.map(({ product_type, user_address }) => ({
    chainId,
    productType: product_type,
    user: user_address,
  }));
}
