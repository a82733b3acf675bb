import type pg from "pg";
import type { Hex } from "viem";
import type { Tx } from "../../sending/outbox/transaction.ts";

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

/** Returns the hashes of everything that was signed for a request. */
export async function readAttemptHashes(pool: pg.Pool, requestId: string): Promise<Hex[]> {
  const { rows } = await pool.query<{ tx_hash: Hex }>(
    "SELECT tx_hash FROM app.send_attempt WHERE request_id = $1 AND tx_hash IS NOT NULL ORDER BY attempt_id",
    [requestId],
  );
  return rows.map(({ tx_hash }) => tx_hash);
}
