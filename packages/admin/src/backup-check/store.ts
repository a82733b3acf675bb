import type pg from "pg";
import { z } from "zod";
import { execute, queryMaybeOne, queryOne } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";

// Rows on the scratch server, in its database `postgres`. Names of backups sort by their time.

const nameSchema = z.object({ name: z.string().nullable() });

/** Makes the table of backups that were found right, where there is none. */
export async function prepareChecked(pool: pg.Pool): Promise<void> {
  await execute(
    pool,
    sql`CREATE TABLE IF NOT EXISTS public.checked_backup (
      name text PRIMARY KEY, checked_at timestamptz NOT NULL DEFAULT now())`,
  );
}

/** Returns the name of the newest backup that was found right, or null. */
export async function newestChecked(pool: pg.Pool): Promise<string | null> {
  return (await queryOne(pool, sql`SELECT max(name) AS name FROM public.checked_backup`, nameSchema)).name;
}

export async function insertChecked(pool: pg.Pool, name: string): Promise<void> {
  await execute(pool, sql`INSERT INTO public.checked_backup (name) VALUES (${name}) ON CONFLICT DO NOTHING`);
}

/** Returns the name of the backup that a database was restored from, or null where there is no such database. */
export async function restoredBackup(pool: pg.Pool, database: string): Promise<string | null> {
  const row = await queryMaybeOne(
    pool,
    sql`SELECT shobj_description(oid, 'pg_database') AS name FROM pg_database WHERE datname = ${database}`,
    nameSchema,
  );
  return row?.name ?? null;
}
