import type pg from "pg";
import { prepared } from "../../db/prepared.ts";
import type { Tx } from "./transaction.ts";

/** A key's limits beyond its scope (app.key_policy). */
export interface KeyPolicy {
  dailyNotionalCap: bigint | null;
  allowedSymbols: readonly string[];
  allowedOperations: readonly string[];
  expiresAtMs: number | null;
  killed: boolean;
}

interface RawPolicy {
  daily_notional_cap: string | null;
  allowed_symbols: string[];
  allowed_operations: string[];
  expires_at: Date | null;
  killed: boolean;
}

const LOCK = prepared(`
  SELECT daily_notional_cap, allowed_symbols, allowed_operations, expires_at, killed
  FROM app.key_policy WHERE key_id = $1 FOR NO KEY UPDATE`);

/**
 * Locks the policy of a key until the transaction ends; null where it has none. Sends of the key wait for each other for that time: three
 * more statements (spentToday, readWalletQueue, insertRequest) and the commit. Nodes and market data are asked before the transaction, and
 * workers sign after it.
 */
export async function lockPolicy(tx: Tx, keyId: string): Promise<KeyPolicy | null> {
  const { rows } = await tx.query<RawPolicy>(LOCK, [keyId]);
  return rows[0] ? toPolicy(rows[0]) : null;
}

function toPolicy(raw: RawPolicy): KeyPolicy {
  return {
    dailyNotionalCap: raw.daily_notional_cap === null ? null : BigInt(raw.daily_notional_cap),
    allowedSymbols: raw.allowed_symbols,
    allowedOperations: raw.allowed_operations,
    expiresAtMs: raw.expires_at?.getTime() ?? null,
    killed: raw.killed,
  };
}

const SPENT = prepared(`
  SELECT coalesce(sum(notional), 0)::text AS spent FROM app.send_request
  WHERE key_id = $1 AND accepted_at >= date_trunc('day', now(), 'UTC')
    AND state NOT IN ('failed', 'canceled') AND outcome IS DISTINCT FROM 'reverted'`);

/** Returns the mUSD wad spent today. What never reached the chain does not count. */
export async function spentToday(tx: Tx | pg.Pool, keyId: string): Promise<bigint> {
  const { rows } = await tx.query<{ spent: string }>(SPENT, [keyId]);
  return BigInt(rows[0]?.spent ?? "0");
}
