import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { prepared } from "../../db/prepared.ts";
import type { Tx } from "../../db/transaction.ts";
import type { UserScope } from "../delegation/store.ts";

/** A retired wallet as a worker goes on with it (app.wallet_retirement). */
export interface Retirement {
  chainId: number;
  wallet: Hex;
  /** Which of the workers' runs this is: what a later one has taken over is not written by it. */
  run: string;
  pass: number;
  /** The last user that this pass checked. */
  after: { productType: string; user: string };
  checked: number;
  /** Of these, users whose delegation to the wallet is not over. */
  delegated: number;
  passBlock: bigint | null;
  clearBlock: bigint | null;
}

interface RawRetirement {
  chain_id: number;
  address: Hex;
  run: string;
  pass: number;
  after_product: string;
  after_user: string;
  checked: number;
  delegated: number;
  pass_block: string | null;
  clear_block: string | null;
}

// Only while a worker drives the wallet: what is queued at another one would never be sent.
const TAKE = prepared(`
  WITH due AS (
    SELECT r.chain_id, r.address FROM app.wallet_retirement r JOIN app.delegatee_wallet w USING (chain_id, address)
    WHERE r.finished_at IS NULL AND r.next_at <= now() AND r.chain_id = ANY($1::int[]) AND w.lease_until > now()
    ORDER BY r.next_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED)
  UPDATE app.wallet_retirement r SET run = r.run + 1, next_at = now() + $2 * interval '1 second'
  FROM due WHERE r.chain_id = due.chain_id AND r.address = due.address
  RETURNING r.chain_id, r.address, r.run, r.pass, r.after_product, r.after_user, r.checked, r.delegated, r.pass_block,
    r.clear_block`);

/** Takes a retirement that is due, for so many seconds at most; null where none is. */
export async function takeDue(
  pool: pg.Pool,
  chainIds: readonly number[],
  seconds: number,
): Promise<Retirement | null> {
  const { rows } = await pool.query<RawRetirement>(TAKE, [chainIds, seconds]);
  const [raw] = rows;
  if (!raw) return null;
  return {
    chainId: raw.chain_id,
    wallet: raw.address,
    run: raw.run,
    pass: raw.pass,
    after: { productType: raw.after_product, user: raw.after_user },
    checked: raw.checked,
    delegated: raw.delegated,
    passBlock: raw.pass_block === null ? null : BigInt(raw.pass_block),
    clearBlock: raw.clear_block === null ? null : BigInt(raw.clear_block),
  };
}

/** How a run leaves a retirement. */
export interface Progress extends Omit<Retirement, "chainId" | "wallet" | "run"> {
  /** When it is due again. */
  inSeconds: number;
  finished?: boolean;
}

/** Stores how far a run is. @returns false where another one has taken over */
export async function storeProgress(
  pool: pg.Pool,
  { chainId, wallet, run }: Retirement,
  { pass, after, checked, delegated, passBlock, clearBlock, inSeconds, finished = false }: Progress,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE app.wallet_retirement SET pass = $4, after_product = $5, after_user = $6, checked = $7, delegated = $8,
       pass_block = $9, clear_block = $10, next_at = now() + $11 * interval '1 second',
       finished_at = CASE WHEN $12 THEN now() END
     WHERE chain_id = $1 AND address = $2 AND run = $3`,
    [
      ...[chainId, wallet, run, pass, after.productType, after.user, checked, delegated],
      ...[passBlock?.toString() ?? null, clearBlock?.toString() ?? null, inSeconds, finished],
    ],
  );
  return rowCount !== 0;
}

/** A user who enabled a wallet once. */
export interface FormerUser extends UserScope {
  /** /send is not blocked here, or an enable of the wallet is not final: what the chain has is not all. */
  isOpen: boolean;
}

const USERS = prepared(`
  SELECT u.*, coalesce(d.delegatee = $2 AND NOT d.blocked, false) OR EXISTS (
      SELECT FROM app.send_request e
      WHERE e.chain_id = $1 AND e.wallet = $2 AND e.product_type = u.product_type AND e.user_address = u.user_address
        AND e.operation = '1ct/enable' AND e.state IN ('accepted', 'signed', 'broadcast', 'mined')) AS is_open
  FROM (
    SELECT DISTINCT product_type, user_address FROM app.send_request
    WHERE chain_id = $1 AND wallet = $2 AND operation = '1ct/enable' AND (product_type, user_address) > ($3, $4)
    ORDER BY product_type, user_address LIMIT $5) u
  LEFT JOIN app.delegation d ON d.chain_id = $1 AND d.product_type = u.product_type AND d.user_address = u.user_address
  ORDER BY u.product_type, u.user_address`);

/**
 * Returns users who ever enabled a wallet, in a fixed order, after the one given. No other user can be delegated to it: the
 * contract takes a delegation from its delegatee alone.
 */
export async function readUsers(
  pool: pg.Pool,
  { chainId, wallet, after }: Pick<Retirement, "chainId" | "wallet" | "after">,
  limit: number,
): Promise<FormerUser[]> {
  const { rows } = await pool.query<{
    product_type: string;
    user_address: Hex;
    is_open: boolean;
  }>(USERS, [chainId, wallet, after.productType, after.user, limit]);
  return rows.map(({ product_type, user_address, is_open }) => ({
    chainId,
    productType: product_type,
    user: user_address,
    isOpen: is_open,
  }));
}

/** The requests of a user's delegation that are under way. */
export interface UnderWay {
  /** An enable of the wallet has its nonce, and no undelegation is queued behind it. */
  enabling: boolean;
  /** An undelegation by the wallet is not final. */
  undelegating: boolean;
  /** An enable of another wallet is to be mined soon: it replaces the delegation. One that waits for long does not count. */
  moving: boolean;
  /** Undelegations by the wallet that were ever written. */
  undelegations: number;
}

const UNDER_WAY = prepared(`
  SELECT coalesce(bool_or(r.operation = '1ct/enable' AND r.wallet = $4 AND (r.state IN ('signed', 'broadcast') OR (r.state = 'mined' AND r.mined_success AND r.mined_filler IS NOT TRUE))
      AND r.sequence > ended.last), false) AS enabling,
    coalesce(bool_or(r.operation = '1ct/disable' AND r.wallet = $4
      AND r.state IN ('accepted', 'signed', 'broadcast', 'mined')), false) AS undelegating,
    coalesce(bool_or(r.operation = '1ct/enable' AND r.wallet <> $4
      AND r.state IN ('accepted', 'signed', 'broadcast') AND r.accepted_at > now() - interval '2 minutes'), false) AS moving,
    (count(*) FILTER (WHERE r.operation = '1ct/disable' AND r.wallet = $4))::int AS undelegations
  FROM app.send_request r CROSS JOIN (
    SELECT coalesce(max(d.sequence), 0) AS last FROM app.send_request d
    WHERE d.chain_id = $1 AND d.product_type = $2 AND d.user_address = $3 AND d.wallet = $4
      AND d.operation = '1ct/disable' AND d.state NOT IN ('failed', 'canceled')) ended
  WHERE r.chain_id = $1 AND r.product_type = $2 AND r.user_address = $3
    AND r.operation IN ('1ct/enable', '1ct/disable')`);

/** Reads what of a user's delegation is under way. Under the delegation's lock. */
export async function readUnderWay(
  tx: Tx,
  { chainId, productType, user }: UserScope,
  wallet: Hex,
): Promise<UnderWay> {
  const { rows } = await tx.query<UnderWay>(UNDER_WAY, [chainId, productType, user, wallet]);
  if (!rows[0]) throw new Error("an aggregate without a row");
  return rows[0];
}

/** Writes the request that undelegates a user of a retired wallet, for the key of their newest enable of it. @returns false where its operation key is taken */
export async function insertUndelegation(
  tx: Tx,
  wallet: Hex,
  { chainId, productType, user }: UserScope,
  { gas, hash, operationKey }: { gas: bigint; hash: string; operationKey: string },
): Promise<boolean> {
  const { rows } = await tx.query<{ queued: boolean }>(
    "SELECT app.queue_undelegation($1, $2, $3, $4, $5, $6, $7, $8) AS queued",
    [randomUUID(), chainId, productType, user, wallet, gas.toString(), hash, operationKey],
  );
  return rows[0]?.queued === true;
}

/** Returns how many requests wait for a nonce at a wallet, counted up to a limit, and whether any is not final. */
export async function readBacklog(
  pool: pg.Pool,
  { chainId, wallet }: Pick<Retirement, "chainId" | "wallet">,
  limit: number,
): Promise<{ waiting: number; hasUnsettled: boolean }> {
  const { rows } = await pool.query<{ waiting: number; has_unsettled: boolean }>(
    `SELECT (SELECT count(*)::int FROM (
         SELECT FROM app.send_request WHERE chain_id = $1 AND wallet = $2 AND state = 'accepted' LIMIT $3) w) AS waiting,
       EXISTS (SELECT FROM app.send_request WHERE chain_id = $1 AND wallet = $2
         AND state IN ('accepted', 'signed', 'broadcast', 'mined')) AS has_unsettled`,
    [chainId, wallet, limit],
  );
  return { waiting: rows[0]?.waiting ?? 0, hasUnsettled: rows[0]?.has_unsettled ?? false };
}

/** Returns the highest block in which an enable of a wallet is mined, as the database knows it; null where none is. */
export async function readLastEnabled(
  pool: pg.Pool,
  { chainId, wallet }: Pick<Retirement, "chainId" | "wallet">,
): Promise<bigint | null> {
  const { rows } = await pool.query<{ block: string | null }>(
    `SELECT max(mined_block) AS block FROM app.send_request
     WHERE chain_id = $1 AND wallet = $2 AND operation = '1ct/enable' AND state IN ('mined', 'final')`,
    [chainId, wallet],
  );
  return rows[0]?.block == null ? null : BigInt(rows[0].block);
}
