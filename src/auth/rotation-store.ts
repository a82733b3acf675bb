import type pg from "pg";
import { z } from "zod";
import { queryOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";

const endedSchema = z.object({ ended: z.number() });

/**
 * Removes previous secrets whose overlap is over. They are accepted nowhere; this also removes them from the database. The worker
 * calls it every minute; any number of workers may.
 * @returns the number of keys
 */
export async function endRotations(pool: pg.Pool): Promise<number> {
  const { ended } = await queryOne(pool, sql`SELECT app.end_rotations() AS ended`, endedSchema);
  return ended;
}
