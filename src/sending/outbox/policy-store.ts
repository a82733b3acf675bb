import type pg from "pg";
import { prepared } from "../../db/prepared.ts";
import type { Tx } from "../../db/transaction.ts";

/** A key's limits beyond its scope (app.key_policy). */
export interface KeyPolicy {
  dailyNotionalCap: bigint | null;
  allowedSymbols: readonly string[];
  allowedOperations: readonly string[];
  expiresAtMs: number | null;
  killed: boolean;
}

/** A key's policy as it is locked. */
export interface LockedPolicy extends KeyPolicy {
  /** The orders of this UTC day are counted. */
  isDayCounted: boolean;
}

/** A row of app.key_policy as `pg` gives it. */
export interface RawPolicy {
  daily_notional_cap: string | null;
  allowed_symbols: string[];
  allowed_operations: string[];
  expires_at: Date | null;
  killed: boolean;
}

const TODAY = "(now() AT TIME ZONE 'UTC')::date";

const LOCK = prepared(`
  SELECT daily_notional_cap, allowed_symbols, allowed_operations, expires_at, killed,
    coalesce(counted_day >= ${TODAY}, false) AS is_day_counted
  FROM app.key_policy WHERE key_id = $1 FOR NO KEY UPDATE`);

/**
 * Locks the policy of a key until the transaction ends; null where it has none. Sends of the key wait for each other for that time: three
 * more statements (countSpent, readWalletQueue, insertRequest) and the commit. Nodes and market data are asked before the transaction, and
 * workers sign after it.
 */
export async function lockPolicy(tx: Tx, keyId: string): Promise<LockedPolicy | null> {
  const { rows } = await tx.query<RawPolicy & { is_day_counted: boolean }>(LOCK, [keyId]);
  return rows[0] ? { ...toPolicy(rows[0]), isDayCounted: rows[0].is_day_counted } : null;
}

export function toPolicy(raw: RawPolicy): KeyPolicy {
  return {
    dailyNotionalCap: raw.daily_notional_cap === null ? null : BigInt(raw.daily_notional_cap),
    allowedSymbols: raw.allowed_symbols,
    allowedOperations: raw.allowed_operations,
    expiresAtMs: raw.expires_at?.getTime() ?? null,
    killed: raw.killed,
  };
}

const BEGIN_DAY = prepared("SELECT app.begin_notional($1)");

/** Returns the mUSD wad spent today, under the lock of the policy. The first order of a day has the day counted from then on. */
export async function countSpent(
  tx: Tx,
  keyId: string,
  { isDayCounted }: Pick<LockedPolicy, "isDayCounted">,
): Promise<bigint> {
  if (!isDayCounted) await tx.query(BEGIN_DAY, [keyId]);
  return readSpent(tx, keyId);
}

// Another day is counted already where the transaction began before midnight, and none where no order was held against the cap.
const SPENT = prepared(`
  WITH request AS NOT MATERIALIZED (
    SELECT notional, state, outcome FROM app.send_request
    WHERE key_id = $1 AND accepted_at >= date_trunc('day', now(), 'UTC') AND notional IS NOT NULL
  )
  SELECT (
    CASE WHEN counted_day = ${TODAY} THEN counted ELSE (SELECT coalesce(sum(notional), 0) FROM request) END
    - (SELECT coalesce(sum(notional), 0) FROM request WHERE state IN ('failed', 'canceled') OR outcome = 'reverted')
  )::text AS spent FROM app.key_policy WHERE key_id = $1`);

/** Returns the mUSD wad that a key with a policy spent today. What never reached the chain does not count. */
export async function readSpent(db: Tx | pg.Pool, keyId: string): Promise<bigint> {
  const { rows } = await db.query<{ spent: string }>(SPENT, [keyId]);
  return BigInt(rows[0]?.spent ?? "0");
}
