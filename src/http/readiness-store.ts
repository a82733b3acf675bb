import type pg from "pg";
import { z } from "zod";
import { execute, queryRows } from "../db/query.ts";
import { sql } from "../db/sql.ts";

/** @throws ApiError DATABASE_UNAVAILABLE */
export async function requireDatabase(pool: pg.Pool): Promise<void> {
  await execute(pool, sql`SELECT 1`);
}

const migrationSchema = z.object({ migrationName: z.string() });

/** Returns the names of the migrations that are applied in full. */
export async function readAppliedMigrations(pool: pg.Pool): Promise<ReadonlySet<string>> {
  const statement = sql`
    SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;
  const applied = await queryRows(pool, statement, migrationSchema);
  return new Set(applied.map(({ migrationName }) => migrationName));
}
