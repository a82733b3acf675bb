import type pg from "pg";
import { until } from "../assert/until.ts";

/**
 * Waits until a statement of the database waits for a lock.
 * @param statement a LIKE pattern of its text
 * @param ended what must not end before: it would have passed without the lock
 */
export async function waitsForLock(pool: pg.Pool, statement: string, ended: Promise<unknown>): Promise<void> {
  let over = false;
  let cause: unknown;
  const watch = (error?: unknown) => {
    over = true;
    cause = error;
  };
  ended.then(() => watch(), watch);
  const found = await until(`a lock for ${statement}`, async () => {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [statement],
    );
    return rowCount ? "waits" : over ? "ended" : undefined;
  });
  if (found === "ended") throw new Error(`nothing waited for a lock: ${statement}`, { cause });
}
