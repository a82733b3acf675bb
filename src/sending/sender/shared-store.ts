import type pg from "pg";
import { z } from "zod";
import { batchPerPool } from "../../db/batch.ts";
import { queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { LeaseLost, type WalletRow, walletRowSchema } from "./lease.ts";
import type { Wallet } from "./wallet.ts";

/**
 * Statements that wallets whose cycles begin together share. Each item has its own lease, and only that decides its answer. They
 * skip locked rows, so that no wallet waits for the row of another, and two statements cannot deadlock.
 */

/** Limited to the time of a statement (db/client.ts). */
const BATCH = { maxItems: 100, maxRunning: 4, timeoutMs: 10_000 };

/** Returns leases as arrays, with the owner as well as the epoch (lease.ts). */
const leasesOf = (wallets: readonly Wallet[]): Sql => sql`
  ${wallets.map(({ nodes }) => nodes.chainId)}::int[], ${wallets.map(({ signer }) => signer.address)}::text[],
  ${wallets.map(({ epoch }) => epoch)}::bigint[], ${wallets.map(({ owner }) => owner)}::text[]`;
const HELD = raw(
  "w.chain_id = l.chain_id AND w.address = l.address AND w.lease_epoch = l.epoch AND w.lease_owner = l.owner",
);

const itemSchema = z.object({ item: z.int() });

const foundSchema = z.object({
  /** True where requests wait for a nonce. */
  hasAccepted: z.boolean(),
  /** True where requests are signed and not mined. */
  hasUnmined: z.boolean(),
  /** True where requests are mined and not final. */
  hasMined: z.boolean(),
  /** True where nothing new is signed on its chain (halt-store.ts). */
  isHalted: z.boolean(),
});

/** A wallet's row, and the work that its requests have. */
export interface WalletSnapshot extends z.output<typeof foundSchema> {
  row: WalletRow;
}

const parseSnapshot = (row: unknown): [item: number, WalletSnapshot] => [
  itemSchema.parse(row).item,
  { ...foundSchema.parse(row), row: walletRowSchema.parse(row) },
];

const hasRequest = (states: string): Sql => sql`EXISTS (
  SELECT FROM app.send_request r WHERE r.chain_id = w.chain_id AND r.wallet = w.address AND r.state IN (${raw(states)}))`;

const readSnapshots = batchPerPool(
  async (pool, wallets: readonly Wallet[]): Promise<(WalletSnapshot | null)[]> => {
    const statement = sql`
    SELECT l.item::int AS item, w.next_nonce, w.state, w.state_reason, ${hasRequest("'accepted'")} AS has_accepted,
      ${hasRequest("'signed', 'broadcast'")} AS has_unmined, ${hasRequest("'mined'")} AS has_mined,
      EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = w.chain_id) AS is_halted
    FROM unnest(${leasesOf(wallets)}) WITH ORDINALITY AS l (chain_id, address, epoch, owner, item)
    JOIN app.delegatee_wallet w ON ${HELD}`;
    const byItem = new Map(await queryRows(pool, statement, { parse: parseSnapshot }));
    return wallets.map((_, index) => byItem.get(index + 1) ?? null);
  },
  BATCH,
);

/**
 * Returns the wallet's present state.
 * @throws LeaseLost
 */
export async function readWallet(pool: pg.Pool, wallet: Wallet): Promise<WalletSnapshot> {
  const found = await readSnapshots(pool, wallet);
  if (!found) throw new LeaseLost(`wallet ${wallet.signer.address} is driven by another worker`);
  return found;
}

const renew = batchPerPool(
  (pool, leases: readonly { wallet: Wallet; leaseMs: number }[]): Promise<boolean[]> => {
    const wallets = leases.map(({ wallet }) => wallet);
    const statement = sql`
      WITH held AS (
        SELECT w.chain_id, w.address, l.ms, l.item
        FROM unnest(${leasesOf(wallets)}, ${leases.map(({ leaseMs }) => leaseMs)}::float8[])
          WITH ORDINALITY AS l (chain_id, address, epoch, owner, ms, item)
        JOIN app.delegatee_wallet w ON ${HELD} AND w.lease_until >= now()
        FOR NO KEY UPDATE OF w SKIP LOCKED
      )
      UPDATE app.delegatee_wallet w SET lease_until = now() + h.ms * interval '1 millisecond'
      FROM held h WHERE w.chain_id = h.chain_id AND w.address = h.address RETURNING h.item::int AS item`;
    return areWritten(pool, statement, leases);
  },
  BATCH,
);

/**
 * Renews a lease that holds, by the database's clock.
 * @returns false where it does not hold, or another transaction has locked the wallet: takeLease decides
 */
export const renewLease = (pool: pg.Pool, wallet: Wallet, leaseMs: number): Promise<boolean> =>
  renew(pool, { wallet, leaseMs });

/** Account of a wallet, as a cycle read it from the chain. */
interface Observation {
  wallet: Wallet;
  /** Wei. */
  balance: bigint;
  accountNonce: bigint;
}

const observe = batchPerPool((pool, seen: readonly Observation[]): Promise<boolean[]> => {
  const wallets = seen.map(({ wallet }) => wallet);
  const balances = seen.map(({ balance }) => balance);
  const nonces = seen.map(({ accountNonce }) => accountNonce);
  const statement = sql`
    WITH held AS (
      SELECT w.chain_id, w.address, l.balance, l.nonce, l.item
      FROM unnest(${leasesOf(wallets)}, ${balances}::numeric[], ${nonces}::bigint[])
        WITH ORDINALITY AS l (chain_id, address, epoch, owner, balance, nonce, item)
      JOIN app.delegatee_wallet w ON ${HELD}
      FOR NO KEY UPDATE OF w SKIP LOCKED
    )
    UPDATE app.delegatee_wallet w SET balance_wei = h.balance, chain_nonce = h.nonce, observed_at = now()
    FROM held h WHERE w.chain_id = h.chain_id AND w.address = h.address RETURNING h.item::int AS item`;
  return areWritten(pool, statement, seen);
}, BATCH);

/**
 * Stores an observation of a wallet.
 * @returns false where the lease is lost, or another transaction has locked the wallet
 */
export const recordObservation = (pool: pg.Pool, observation: Observation): Promise<boolean> =>
  observe(pool, observation);

/**
 * Runs a statement that returns the positions of the items it wrote.
 * @returns true for each of these items
 */
async function areWritten(pool: pg.Pool, statement: Sql, items: readonly unknown[]): Promise<boolean[]> {
  const rows = await queryRows(pool, statement, itemSchema);
  const found = new Set(rows.map(({ item }) => item));
  return items.map((_, index) => found.has(index + 1));
}
