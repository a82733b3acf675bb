import type pg from "pg";
import type { Hex } from "viem";
import { prepared } from "../../db/prepared.ts";
import { inTransaction, type Tx } from "../../db/transaction.ts";
import type { Wallet } from "./deps.ts";

/** Another worker drives the wallet now. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export type WalletState = "active" | "paused" | "halted";

/** A wallet's row while it is locked, or as it was last read. */
export interface WalletRow {
  nextNonce: bigint | null;
  state: WalletState;
  stateReason: string | null;
}

export interface RawWalletRow {
  next_nonce: string | null;
  state: WalletState;
  state_reason: string | null;
}

/** Makes a wallet known, so that users can be assigned to it. */
export async function registerWallet(pool: pg.Pool, chainId: number, address: Hex): Promise<void> {
  await pool.query(
    "INSERT INTO app.delegatee_wallet (chain_id, address) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    [chainId, address],
  );
}

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
  const { rows } = await pool.query<{ lease_epoch: string }>(
    `UPDATE app.delegatee_wallet
     SET lease_epoch = lease_epoch + CASE WHEN lease_owner = $3 AND lease_until >= now() THEN 0 ELSE 1 END,
         lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
     WHERE chain_id = $1 AND address = $2 AND (lease_owner IS NULL OR lease_until < now() OR lease_owner = $3)
     RETURNING lease_epoch`,
    [chainId, address, owner, leaseMs],
  );
  return rows[0] ? BigInt(rows[0].lease_epoch) : null;
}

/** Gives a lease back, so that another worker need not wait for its end. */
export async function releaseLease(pool: pg.Pool, wallet: Wallet): Promise<void> {
  await pool.query(
    `UPDATE app.delegatee_wallet SET lease_owner = NULL, lease_until = NULL
     WHERE chain_id = $1 AND address = $2 AND lease_epoch = $3 AND lease_owner = $4`,
    leaseOf(wallet),
  );
}

/**
 * Parameters that name a lease. By its owner as well as its epoch: a database that lost its last commits in a failover may give
 * another worker the epoch that one already has.
 */
const leaseOf = ({ nodes, signer, epoch, owner }: Wallet): unknown[] => [
  nodes.chainId,
  signer.address,
  epoch.toString(),
  owner,
];

const LOCK = prepared(`
  SELECT next_nonce, state, state_reason FROM app.delegatee_wallet
  WHERE chain_id = $1 AND address = $2 AND lease_epoch = $3 AND lease_owner = $4 FOR NO KEY UPDATE`);

/**
 * Runs one transaction under the wallet's row lock, and only while the lease is this worker's.
 * @throws LeaseLost
 */
export function underLease<T>(
  pool: pg.Pool,
  wallet: Wallet,
  work: (tx: Tx, row: WalletRow) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<RawWalletRow>(LOCK, leaseOf(wallet));
    if (!rows[0]) throw new LeaseLost(`wallet ${wallet.signer.address} is driven by another worker`);
    return work(tx, toWalletRow(rows[0]));
  });
}

/** Converts a wallet's row as the database has it. */
export function toWalletRow(raw: RawWalletRow): WalletRow {
  return {
    nextNonce: raw.next_nonce === null ? null : BigInt(raw.next_nonce),
    state: raw.state,
    stateReason: raw.state_reason,
  };
}

/** Stops or starts a wallet. */
export async function setWalletState(
  pool: pg.Pool,
  wallet: Wallet,
  state: WalletState,
  reason: string | null,
): Promise<void> {
  await underLease(pool, wallet, async (tx) => {
    await tx.query(
      "UPDATE app.delegatee_wallet SET state = $3, state_reason = $4 WHERE chain_id = $1 AND address = $2",
      [wallet.nodes.chainId, wallet.signer.address, state, reason],
    );
  });
}
