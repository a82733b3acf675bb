import { z } from "zod";
import { execute, type Queryable, queryMaybeOne } from "../../db/query.ts";
import { raw, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { storedAmount } from "../../protocol/shapes.ts";
import { storedMs } from "./rows.ts";

export const policySchema = z.object({
  dailyNotionalCap: storedAmount.nullable(),
  allowedSymbols: z.array(z.string()),
  allowedOperations: z.array(z.string()),
  expiresAtMs: storedMs.nullable(),
  killed: z.boolean(),
});

/** A key's limits beyond its scope (app.key_policy). */
export type KeyPolicy = z.output<typeof policySchema>;

const lockedSchema = policySchema.extend({
  /** True where the orders of this UTC day are counted. */
  isDayCounted: z.boolean(),
});

/** A key's policy, under its lock. */
type LockedPolicy = z.output<typeof lockedSchema>;

const TODAY = raw("(now() AT TIME ZONE 'UTC')::date");

/**
 * Locks the policy of a key until the transaction ends; null where it has none. Sends of the key wait for each other meanwhile:
 * three more statements (countSpent, readWalletQueue, insertRequest) and the commit. Nodes and market data are asked before the
 * transaction, and workers sign after it.
 */
export function lockPolicy(tx: Tx, keyId: string): Promise<LockedPolicy | null> {
  const statement = sql`
    SELECT daily_notional_cap, allowed_symbols, allowed_operations, expires_at AS expires_at_ms, killed,
      coalesce(counted_day >= ${TODAY}, false) AS is_day_counted
    FROM app.key_policy WHERE key_id = ${keyId} FOR NO KEY UPDATE`;
  return queryMaybeOne(tx, statement, lockedSchema);
}

/** Returns the mUSD wad spent today, under the lock of the policy. The first order of a day starts its count. */
export async function countSpent(
  tx: Tx,
  keyId: string,
  { isDayCounted }: Pick<LockedPolicy, "isDayCounted">,
): Promise<bigint> {
  if (!isDayCounted) await execute(tx, sql`SELECT app.begin_notional(${keyId})`);
  return readSpent(tx, keyId);
}

const spentSchema = z.object({ spent: storedAmount });

/** Returns the mUSD wad that a key with a policy spent today. Requests that never reached the chain do not count. */
export async function readSpent(db: Queryable, keyId: string): Promise<bigint> {
  // Another day is counted where the transaction began before midnight; none is where no order was checked against the cap.
  const statement = sql`
    WITH request AS NOT MATERIALIZED (
      SELECT notional, state, outcome FROM app.send_request
      WHERE key_id = ${keyId} AND accepted_at >= date_trunc('day', now(), 'UTC') AND notional IS NOT NULL
    )
    SELECT (
      CASE WHEN counted_day = ${TODAY} THEN counted ELSE (SELECT coalesce(sum(notional), 0) FROM request) END
      - (SELECT coalesce(sum(notional), 0) FROM request WHERE state IN ('failed', 'canceled') OR outcome = 'reverted')
    )::text AS spent FROM app.key_policy WHERE key_id = ${keyId}`;
  return (await queryMaybeOne(db, statement, spentSchema))?.spent ?? 0n;
}
