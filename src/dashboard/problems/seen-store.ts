import type pg from "pg";
import { z } from "zod";
import { execute, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";

/** Programs of which at least one must be alive. The api is, where a dashboard is answered; of the indexer its blocks tell. */
export type SeenProgram = "worker" | "deliverer";

/** Interval of a program's heartbeat, milliseconds. */
export const SEEN_EVERY_MS = 2_000;

/** Seconds after which a program that said nothing is not alive. */
const SEEN_SECONDS_MAX = (4 * SEEN_EVERY_MS) / 1_000;

/** Age of the last heartbeat of each kind of program, seconds, by the database's clock. One that never was is not there. */
export type Seen = ReadonlyMap<SeenProgram, number>;

export const isAlive = (seen: Seen, program: SeenProgram): boolean =>
  (seen.get(program) ?? Number.POSITIVE_INFINITY) <= SEEN_SECONDS_MAX;

/** Says that a program of this kind is alive. @throws ApiError DATABASE_UNAVAILABLE */
export async function markSeen(pool: pg.Pool, program: SeenProgram): Promise<void> {
  await execute(
    pool,
    sql`
      INSERT INTO app.program_seen (program) VALUES (${program})
      ON CONFLICT (program) DO UPDATE SET seen_at = now()`,
  );
}

const rowSchema = z.object({ program: z.enum(["worker", "deliverer"]), age: z.number() });

/** @throws ApiError DATABASE_UNAVAILABLE */
export async function readSeen(pool: pg.Pool): Promise<Seen> {
  const statement = sql`SELECT program, extract(epoch FROM now() - seen_at)::float8 AS age FROM app.program_seen`;
  const rows = await queryRows(pool, statement, rowSchema);
  return new Map(rows.map(({ program, age }) => [program, age]));
}
