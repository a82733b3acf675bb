import type pg from "pg";
import { batchPerPool } from "../../db/batch.ts";
import { prepared } from "../../db/prepared.ts";
import type { Wallet } from "./deps.ts";
import { LeaseLost, type RawWalletRow, toWalletRow, type WalletRow } from "./lease.ts";

/**
 * Statements that wallets whose cycles begin together share. Each item has a lease of its own, and is answered by it alone.
 * They skip rows that are locked, so no wallet waits for the row of another, and two statements cannot deadlock.
 */

/** As long as a statement may take (db/client.ts). */
const BATCH = { maxItems: 100, maxRunning: 4, timeoutMs: 10_000 };

/** Leases by position, with the owner as well as the epoch (lease.ts). */
const LEASES = "$1::int[], $2::text[], $3::bigint[], $4::text[]";
const HELD =
  "w.chain_id = l.chain_id AND w.address = l.address AND w.lease_epoch = l.epoch AND w.lease_owner = l.owner";
const columnsOf = (wallets: readonly Wallet[]): unknown[] => [
  wallets.map(({ nodes }) => nodes.chainId),
  wallets.map(({ signer }) => signer.address),
  wallets.map(({ epoch }) => epoch.toString()),
  wallets.map(({ owner }) => owner),
];

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

interface RawLook extends RawWalletRow {
  item: number;
  has_accepted: boolean;
  has_unmined: boolean;
  has_mined: boolean;
  is_halted: boolean;
}

const hasRequest = (states: string): string =>
  `EXISTS (SELECT FROM app.send_request r WHERE r.chain_id = w.chain_id AND r.wallet = w.address AND r.state IN (${states}))`;
const LOOK = prepared(`
  SELECT l.item::int AS item, w.next_nonce, w.state, w.state_reason, ${hasRequest("'accepted'")} AS has_accepted,
    ${hasRequest("'signed', 'broadcast'")} AS has_unmined, ${hasRequest("'mined'")} AS has_mined,
    EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = w.chain_id) AS is_halted
  FROM unnest(${LEASES}) WITH ORDINALITY AS l (chain_id, address, epoch, owner, item)
  JOIN app.delegatee_wallet w ON ${HELD}`);

const look = batchPerPool(async (pool, wallets: readonly Wallet[]): Promise<(WalletLook | null)[]> => {
  const { rows } = await pool.query<RawLook>(LOOK, columnsOf(wallets));
  const byItem = new Map(rows.map((row) => [row.item, row]));
  return wallets.map((_, index) => {
    const found = byItem.get(index + 1);
    return found ? toLook(found) : null;
  });
}, BATCH);

const toLook = (found: RawLook): WalletLook => ({
  row: toWalletRow(found),
  hasAccepted: found.has_accepted,
  hasUnmined: found.has_unmined,
  hasMined: found.has_mined,
  isHalted: found.is_halted,
});

/** Returns the wallet as it is. @throws LeaseLost */
export async function readWallet(pool: pg.Pool, wallet: Wallet): Promise<WalletLook> {
  const found = await look(pool, wallet);
  if (!found) throw new LeaseLost(`wallet ${wallet.signer.address} is driven by another worker`);
  return found;
}

const RENEW = prepared(`
  WITH held AS (
    SELECT w.chain_id, w.address, l.ms, l.item
    FROM unnest(${LEASES}, $5::float8[]) WITH ORDINALITY AS l (chain_id, address, epoch, owner, ms, item)
    JOIN app.delegatee_wallet w ON ${HELD} AND w.lease_until >= now()
    FOR NO KEY UPDATE OF w SKIP LOCKED
  )
  UPDATE app.delegatee_wallet w SET lease_until = now() + h.ms * interval '1 millisecond'
  FROM held h WHERE w.chain_id = h.chain_id AND w.address = h.address RETURNING h.item::int AS item`);

const renew = batchPerPool(
  async (pool, leases: readonly { wallet: Wallet; leaseMs: number }[]): Promise<boolean[]> => {
    const columns = columnsOf(leases.map(({ wallet }) => wallet));
    const { rows } = await pool.query<{ item: number }>(RENEW, [
      ...columns,
      leases.map(({ leaseMs }) => leaseMs),
    ]);
    return isIn(rows, leases);
  },
  BATCH,
);

/**
 * Renews a lease that holds, by the database's clock.
 * @returns false where it does not hold, or something else has locked the wallet: takeLease decides
 */
export const renewLease = (pool: pg.Pool, wallet: Wallet, leaseMs: number): Promise<boolean> =>
  renew(pool, { wallet, leaseMs });

/** The account of a wallet as a cycle read it from the chain. */
interface Observation {
  wallet: Wallet;
  /** Wei. */
  balance: bigint;
  accountNonce: bigint;
}

const OBSERVE = prepared(`
  WITH held AS (
    SELECT w.chain_id, w.address, l.balance, l.nonce, l.item
    FROM unnest(${LEASES}, $5::numeric[], $6::bigint[]) WITH ORDINALITY AS l (chain_id, address, epoch, owner, balance, nonce, item)
    JOIN app.delegatee_wallet w ON ${HELD}
    FOR NO KEY UPDATE OF w SKIP LOCKED
  )
  UPDATE app.delegatee_wallet w SET balance_wei = h.balance, chain_nonce = h.nonce, observed_at = now()
  FROM held h WHERE w.chain_id = h.chain_id AND w.address = h.address RETURNING h.item::int AS item`);

const observe = batchPerPool(async (pool, seen: readonly Observation[]): Promise<boolean[]> => {
  const { rows } = await pool.query<{ item: number }>(OBSERVE, [
    ...columnsOf(seen.map(({ wallet }) => wallet)),
    seen.map(({ balance }) => balance.toString()),
    seen.map(({ accountNonce }) => accountNonce.toString()),
  ]);
  return isIn(rows, seen);
}, BATCH);

/** Stores what was seen of a wallet. @returns false where the lease is lost, or something else has locked the wallet */
export const recordObservation = (pool: pg.Pool, observation: Observation): Promise<boolean> =>
  observe(pool, observation);

function isIn(rows: readonly { item: number }[], items: readonly unknown[]): boolean[] {
  const found = new Set(rows.map(({ item }) => item));
  return items.map((_, index) => found.has(index + 1));
}
