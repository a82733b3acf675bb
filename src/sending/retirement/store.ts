import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, queryMaybeOne, queryOne, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { storedHex } from "../../protocol/shapes.ts";
import type { UserScope } from "../delegation/store.ts";
import { KEY_LOST } from "./lost-key-store.ts";

const retirementSchema = z.object({
  chainId: z.int(),
  wallet: storedHex,
  /** Number of the workers' run: a run that a later one has replaced writes nothing. */
  run: z.string(),
  pass: z.int(),
  /** Last user that this pass checked. */
  afterProduct: z.string(),
  afterUser: z.string(),
  checked: z.int(),
  /** Those of them whose delegation to the wallet is not over. */
  delegated: z.int(),
  passBlock: z.coerce.bigint().nullable(),
  clearBlock: z.coerce.bigint().nullable(),
});

/** A retirement of a wallet, for a worker to continue (app.wallet_retirement). */
export type Retirement = z.output<typeof retirementSchema>;

type WalletName = Pick<Retirement, "chainId" | "wallet">;

/** Takes a due retirement, for so many seconds at most; null without one. */
export function takeDue(pool: pg.Pool, chainId: number, seconds: number): Promise<Retirement | null> {
  // Only while a worker drives the wallet: requests queued at another one would never be sent. Nobody drives one whose key is lost.
  const statement = sql`
    WITH due AS (
      SELECT r.chain_id, r.address FROM app.wallet_retirement r JOIN app.delegatee_wallet w USING (chain_id, address)
      WHERE r.finished_at IS NULL AND r.next_at <= now() AND r.chain_id = ${chainId} AND w.lease_until > now()
        AND w.lease_owner IS DISTINCT FROM ${KEY_LOST}
      ORDER BY r.next_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED)
    UPDATE app.wallet_retirement r SET run = r.run + 1, next_at = now() + ${seconds} * interval '1 second'
    FROM due WHERE r.chain_id = due.chain_id AND r.address = due.address
    RETURNING r.chain_id, r.address AS wallet, r.run, r.pass, r.after_product, r.after_user, r.checked, r.delegated,
      r.pass_block, r.clear_block`;
  return queryMaybeOne(pool, statement, retirementSchema);
}

/** State of a retirement after a run. */
export interface Progress extends Omit<Retirement, "chainId" | "wallet" | "run"> {
  /** Seconds until it is due again. */
  inSeconds: number;
  finished?: boolean;
}

/**
 * Stores the progress of a run.
 * @returns false where another run has taken over
 */
export async function storeProgress(
  pool: pg.Pool,
  { chainId, wallet, run }: Retirement,
  { pass, afterProduct, afterUser, checked, delegated, passBlock, clearBlock, inSeconds, finished }: Progress,
): Promise<boolean> {
  const statement = sql`
    UPDATE app.wallet_retirement SET pass = ${pass}, after_product = ${afterProduct}, after_user = ${afterUser},
      checked = ${checked}, delegated = ${delegated}, pass_block = ${passBlock}, clear_block = ${clearBlock},
      next_at = now() + ${inSeconds} * interval '1 second', finished_at = CASE WHEN ${finished ?? false} THEN now() END
    WHERE chain_id = ${chainId} AND address = ${wallet} AND run = ${run}`;
  return (await execute(pool, statement)) > 0;
}

/** A user who once enabled a wallet. */
export interface FormerUser extends UserScope {
  /** True where /send is not blocked here, or an enable of the wallet is not final: the chain may still change. */
  isOpen: boolean;
}

const userSchema = z.object({
  productType: z.string(),
  user: storedHex,
  isOpen: z.boolean(),
});

/**
 * Returns users who ever enabled a wallet, in a fixed order, after the one given. No other user can be delegated to it: the
 * contract takes a delegation from its delegatee alone.
 */
export async function readUsers(
  pool: pg.Pool,
  { chainId, wallet }: WalletName,
  { afterProduct, afterUser }: Pick<Retirement, "afterProduct" | "afterUser">,
  limit: number,
): Promise<FormerUser[]> {
  const statement = sql`
    SELECT u.product_type, u.user_address AS "user", coalesce(d.delegatee = ${wallet} AND NOT d.blocked, false) OR EXISTS (
        SELECT FROM app.send_request e
        WHERE e.chain_id = ${chainId} AND e.wallet = ${wallet} AND e.product_type = u.product_type
          AND e.user_address = u.user_address
          AND e.operation = '1ct/enable' AND e.state IN ('accepted', 'signed', 'broadcast', 'mined')) AS is_open
    FROM (
      SELECT DISTINCT product_type, user_address FROM app.send_request
      WHERE chain_id = ${chainId} AND wallet = ${wallet} AND operation = '1ct/enable'
        AND (product_type, user_address) > (${afterProduct}, ${afterUser})
      ORDER BY product_type, user_address LIMIT ${limit}) u
    LEFT JOIN app.delegation d
      ON d.chain_id = ${chainId} AND d.product_type = u.product_type AND d.user_address = u.user_address
    ORDER BY u.product_type, u.user_address`;
  const users = await queryRows(pool, statement, userSchema);
  return users.map((user) => ({ chainId, ...user }));
}

const underWaySchema = z.object({
  /** True where an enable of the wallet has its nonce, and no undelegation is queued behind it. */
  enabling: z.boolean(),
  /** True where an undelegation by the wallet is not final. */
  undelegating: z.boolean(),
  /**
   * True where an enable of another wallet will be mined soon: it replaces the delegation. One that waits for long does not
   * count.
   */
  moving: z.boolean(),
  /** Number of undelegations by the wallet ever written. */
  undelegations: z.int(),
});

/** Requests of a user's delegation that are under way. */
export type UnderWay = z.output<typeof underWaySchema>;

/** Reads the requests of a user's delegation that are under way. Call it under the delegation's lock. */
export function readUnderWay(
  tx: Tx,
  { chainId, productType, user }: UserScope,
  wallet: Hex,
): Promise<UnderWay> {
  const statement = sql`
    SELECT coalesce(bool_or(r.operation = '1ct/enable' AND r.wallet = ${wallet}
        AND (r.state IN ('signed', 'broadcast') OR (r.state = 'mined' AND r.mined_success AND r.mined_filler IS NOT TRUE))
        AND r.sequence > ended.last), false) AS enabling,
      coalesce(bool_or(r.operation = '1ct/disable' AND r.wallet = ${wallet}
        AND r.state IN ('accepted', 'signed', 'broadcast', 'mined')), false) AS undelegating,
      coalesce(bool_or(r.operation = '1ct/enable' AND r.wallet <> ${wallet}
        AND r.state IN ('accepted', 'signed', 'broadcast') AND r.accepted_at > now() - interval '2 minutes'), false) AS moving,
      (count(*) FILTER (WHERE r.operation = '1ct/disable' AND r.wallet = ${wallet}))::int AS undelegations
    FROM app.send_request r CROSS JOIN (
      SELECT coalesce(max(d.sequence), 0) AS last FROM app.send_request d
      WHERE d.chain_id = ${chainId} AND d.product_type = ${productType} AND d.user_address = ${user}
        AND d.wallet = ${wallet} AND d.operation = '1ct/disable' AND d.state NOT IN ('failed', 'canceled')) ended
    WHERE r.chain_id = ${chainId} AND r.product_type = ${productType} AND r.user_address = ${user}
      AND r.operation IN ('1ct/enable', '1ct/disable')`;
  return queryOne(tx, statement, underWaySchema);
}

const queuedSchema = z.object({ queued: z.boolean() });

/** Writes the request that undelegates a user of a retired wallet, for the key of their newest enable of it. @returns false where its operation key is taken */
export async function insertUndelegation(
  tx: Tx,
  wallet: Hex,
  { chainId, productType, user }: UserScope,
  { gas, hash, operationKey }: { gas: bigint; hash: string; operationKey: string },
): Promise<boolean> {
  const statement = sql`
    SELECT app.queue_undelegation(${randomUUID()}, ${chainId}, ${productType}, ${user}, ${wallet}, ${gas}, ${hash},
      ${operationKey}) AS queued`;
  return (await queryOne(tx, statement, queuedSchema)).queued;
}

const backlogSchema = z.object({ waiting: z.int(), hasOpen: z.boolean() });

/**
 * Returns the number of requests that wait for a nonce at a wallet, counted up to a limit, and true for `hasOpen` where any
 * is not final.
 */
export function readBacklog(
  pool: pg.Pool,
  { chainId, wallet }: WalletName,
  limit: number,
): Promise<z.output<typeof backlogSchema>> {
  const statement = sql`
    SELECT (SELECT count(*)::int FROM (
        SELECT FROM app.send_request
        WHERE chain_id = ${chainId} AND wallet = ${wallet} AND state = 'accepted' LIMIT ${limit}) w) AS waiting,
      EXISTS (SELECT FROM app.send_request WHERE chain_id = ${chainId} AND wallet = ${wallet}
        AND state IN ('accepted', 'signed', 'broadcast', 'mined')) AS has_open`;
  return queryOne(pool, statement, backlogSchema);
}

const blockSchema = z.object({ block: z.coerce.bigint().nullable() });

/** Returns the highest block with a mined enable of a wallet, as the database knows it; null without one. */
export async function readLastEnabled(
  pool: pg.Pool,
  { chainId, wallet }: WalletName,
): Promise<bigint | null> {
  const statement = sql`
    SELECT max(mined_block) AS block FROM app.send_request
    WHERE chain_id = ${chainId} AND wallet = ${wallet} AND operation = '1ct/enable' AND state IN ('mined', 'final')`;
  return (await queryOne(pool, statement, blockSchema)).block;
}
