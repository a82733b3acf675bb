import type pg from "pg";
import { z } from "zod";
import { ACTIVITIES } from "../../src/portfolio/activity-store.ts";
import { storedAmount, storedHex, storedSeconds } from "../../src/protocol/shapes.ts";
import { present } from "../support/assert/until.ts";

// Activities, and the ledger that follows from them at each block.

const activitySchema = z.object({
  user_address: storedHex,
  asset: z.string(),
  block_number: z.coerce.bigint(),
  log_index: z.number(),
  timestamp: storedSeconds,
  tx_hash: storedHex,
  kind: z.string(),
  cause_id: storedHex.nullable(),
  delta: storedAmount,
  locked_delta: storedAmount,
  balance_after: storedAmount,
});
export type ActivityRow = z.output<typeof activitySchema>;

/** Returns all activities, oldest first. */
export async function readActivities(pool: pg.Pool): Promise<ActivityRow[]> {
  const { rows } = await pool.query(
    `SELECT * FROM (${ACTIVITIES.text}) a ORDER BY block_number, log_index, asset`,
  );
  return rows.map((row) => activitySchema.parse(row));
}

/** The ledger of one asset after a block. */
export interface LedgerAt {
  user: `0x${string}`;
  asset: string;
  block: bigint;
  available: bigint;
  locked: bigint;
}

/**
 * Returns the sums of the deltas after each block that has any.
 * @throws Error where a row's balanceAfter is not the sum up to it
 */
export function ledgersOf(rows: readonly ActivityRow[]): LedgerAt[] {
  const now = new Map<string, LedgerAt>();
  const found = new Map<string, LedgerAt>();
  for (const row of rows) {
    const { user_address: user, asset, block_number: block } = row;
    const name = `${user} ${asset}`;
    const { available, locked } = now.get(name) ?? { available: 0n, locked: 0n };
    const next = { user, asset, block, available: available + row.delta, locked: locked + row.locked_delta };
    if (next.available !== row.balance_after)
      throw new Error(
        `${JSON.stringify({ ...row, block_number: String(block) }, (_, v) => (typeof v === "bigint" ? String(v) : v))}: the deltas sum to ${next.available}`,
      );
    now.set(name, next);
    found.set(`${name} ${block}`, next);
  }
  return [...found.values()].map((ledger) => present(ledger, "a ledger"));
}
