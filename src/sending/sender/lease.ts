import type pg from "pg";
import type { Hex } from "viem";
import { prepared } from "../../db/prepared.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Tx } from "../outbox/transaction.ts";
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

interface RawWalletRow {
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
 * Takes or renews the lease of a wallet. The database's clock counts, and nobody else's.
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

/** A wallet's row, and what of its requests there is to do. */
export interface WalletLook {
  row: WalletRow;
  /** Requests that wait for a nonce. */
  hasAccepted: boolean;
  /** Requests that are signed and not mined. */
  hasUnmined: boolean;
  /** Requests that are mined and not final. */
  hasMined: boolean;
  /** Nothing new is signed on its chain (halt-store.ts). */
  isHalted: boolean;
}

/** Returns the wallet as it is. @throws LeaseLost */
export async function readWallet(pool: pg.Pool, wallet: Wallet): Promise<WalletLook> {
  const { rows } = await pool.query<
    RawWalletRow & { has_accepted: boolean; has_unmined: boolean; has_mined: boolean; is_halted: boolean }
  >(LOOK, leaseOf(wallet));
  const [found] = rows;
  if (!found) throw new LeaseLost(`wallet ${wallet.signer.address} is driven by another worker`);
  return {
    row: toWalletRow(found),
    hasAccepted: found.has_accepted,
    hasUnmined: found.has_unmined,
    hasMined: found.has_mined,
    isHalted: found.is_halted,
  };
}

const hasRequest = (states: string): string =>
  `EXISTS (SELECT FROM app.send_request r WHERE r.chain_id = w.chain_id AND r.wallet = w.address AND r.state IN (${states}))`;
const LOOK = prepared(`
  SELECT w.next_nonce, w.state, w.state_reason, ${hasRequest("'accepted'")} AS has_accepted,
    ${hasRequest("'signed', 'broadcast'")} AS has_unmined, ${hasRequest("'mined'")} AS has_mined,
    EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = w.chain_id) AS is_halted
  FROM app.delegatee_wallet w
  WHERE w.chain_id = $1 AND w.address = $2 AND w.lease_epoch = $3 AND w.lease_owner = $4`);

function toWalletRow(raw: RawWalletRow): WalletRow {
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
