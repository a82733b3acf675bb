import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { inTransaction, type Tx } from "../../db/transaction.ts";
import type { Wallet } from "./wallet.ts";

/** Thrown where another worker drives the wallet now. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export const walletRowSchema = z.object({
  nextNonce: z.coerce.bigint().nullable(),
  state: z.enum(["active", "paused", "halted"]),
  stateReason: z.string().nullable(),
});

/** A wallet's row, under its lock or as read last. */
export type WalletRow = z.output<typeof walletRowSchema>;

/** Registers a wallet, so that users can be assigned to it. */
export async function registerWallet(pool: pg.Pool, chainId: number, address: Hex): Promise<void> {
  await execute(
    pool,
    sql`INSERT INTO app.delegatee_wallet (chain_id, address) VALUES (${chainId}, ${address}) ON CONFLICT DO NOTHING`,
  );
}

const leaseSchema = z.object({ leaseEpoch: z.coerce.bigint() });

/**
 * Takes or renews the lease of a wallet. Only the database's clock counts.
 * @returns the epoch, raised where the lease changed hands, or null where another worker holds it
 */
export async function takeLease(
  pool: pg.Pool,
  chainId: number,
  address: Hex,
  owner: string,
  leaseMs: number,
): Promise<bigint | null> {
  const statement = sql`
    UPDATE app.delegatee_wallet
    SET lease_epoch = lease_epoch + CASE WHEN lease_owner = ${owner} AND lease_until >= now() THEN 0 ELSE 1 END,
        lease_owner = ${owner}, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    WHERE chain_id = ${chainId} AND address = ${address}
      AND (lease_owner IS NULL OR lease_until < now() OR lease_owner = ${owner})
    RETURNING lease_epoch`;
  return (await queryMaybeOne(pool, statement, leaseSchema))?.leaseEpoch ?? null;
}

/** Releases a lease, so that another worker need not wait for its end. */
export async function releaseLease(pool: pg.Pool, wallet: Wallet): Promise<void> {
  await execute(
    pool,
    sql`UPDATE app.delegatee_wallet SET lease_owner = NULL, lease_until = NULL WHERE ${isHeld(wallet)}`,
  );
}

/**
 * Returns the condition that a lease holds. Compares the owner as well as the epoch: a database that lost its last commits in a
 * failover may give another worker the same epoch.
 */
const isHeld = ({ nodes, signer, epoch, owner }: Wallet): Sql => sql`
  chain_id = ${nodes.chainId} AND address = ${signer.address} AND lease_epoch = ${epoch} AND lease_owner = ${owner}`;

/**
 * Runs one transaction under the wallet's row lock, and only while this worker holds the lease.
 * @throws LeaseLost
 */
export function underLease<T>(
  pool: pg.Pool,
  wallet: Wallet,
  work: (tx: Tx, row: WalletRow) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    const lock = sql`
      SELECT next_nonce, state, state_reason FROM app.delegatee_wallet WHERE ${isHeld(wallet)} FOR NO KEY UPDATE`;
    const row = await queryMaybeOne(tx, lock, walletRowSchema);
    if (!row) throw new LeaseLost(`wallet ${wallet.signer.address} is driven by another worker`);
    return work(tx, row);
  });
}

/** Stores the first nonce of a wallet that has none. */
export async function initializeNonce(tx: Tx, { nodes, signer }: Wallet, first: bigint): Promise<void> {
  await execute(
    tx,
    sql`
      UPDATE app.delegatee_wallet SET next_nonce = ${first}
      WHERE chain_id = ${nodes.chainId} AND address = ${signer.address} AND next_nonce IS NULL`,
  );
}

/** Stops or starts a wallet. */
export async function setWalletState(
  pool: pg.Pool,
  wallet: Wallet,
  state: WalletRow["state"],
  reason: string | null,
): Promise<void> {
  const { nodes, signer } = wallet;
  await underLease(pool, wallet, async (tx) => {
    await execute(
      tx,
      sql`
        UPDATE app.delegatee_wallet SET state = ${state}, state_reason = ${reason}
        WHERE chain_id = ${nodes.chainId} AND address = ${signer.address}`,
    );
  });
}
