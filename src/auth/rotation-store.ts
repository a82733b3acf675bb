import type pg from "pg";
import { withDatabaseErrors } from "../db/errors.ts";

/**
 * Removes previous secrets whose overlap is over. They are accepted nowhere any more; this keeps them from being stored.
 * The worker calls it every minute; any number of workers may.
 * @returns of how many keys
 */
export async function endRotations(pool: pg.Pool): Promise<number> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<{ ended: number }>("SELECT app.end_rotations() AS ended"),
  );
  return rows[0]?.ended ?? 0;
}
