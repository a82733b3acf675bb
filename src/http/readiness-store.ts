import type pg from "pg";

/** @throws what `pg` throws, while the database does not answer */
export async function requireDatabase(pool: pg.Pool): Promise<void> {
  await pool.query("SELECT 1");
}

/** Returns the names of the migrations that are applied in full. */
export async function readAppliedMigrations(pool: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ migration_name: string }>(
    "SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
  );
  return new Set(rows.map((row) => row.migration_name));
}
