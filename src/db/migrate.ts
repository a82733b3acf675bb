import pg from "pg";
import { applyGrants, requireRoles } from "./roles.ts";
import { MIGRATION_LOCK, openSchemaEngine, readMigrations, schemaFilter } from "./schema-engine.ts";

/** The log of a migration: a pino logger, or anything like it. */
export interface MigrationLog {
  info(fields: object, message: string): void;
}

/**
 * Brings app.* up to date: applies, in order, the migrations of prisma/migrations that the database has not had. Safe to
 * call from several processes at once: the others wait (at most two minutes) and then find nothing left to do. Where each
 * program has a role of its own, the roles get their rights on the tables as they are now.
 * @returns the names of the migrations applied, none where it was up to date
 * @throws Error naming a role that is missing, before anything is applied; or of the engine, naming the migration that failed and
 * PostgreSQL's reason
 */
export async function migrate(databaseUrl: string, log: MigrationLog): Promise<string[]> {
  return withMigrationLock(databaseUrl, async () => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, connectionTimeoutMillis: 3_000 });
    pool.on("error", () => undefined);
    try {
      await requireRoles(pool);
      const engine = await openSchemaEngine(pool);
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList: await readMigrations(),
        filters: await schemaFilter(),
      });
      const granted = await applyGrants(pool);
      log.info({ applied: appliedMigrationNames, granted }, "database migrated");
      return appliedMigrationNames;
    } finally {
      await pool.end();
    }
  });
}

/**
 * Runs work under the lock of migrations. A transaction holds it, which a connection pooler in transaction mode keeps; a
 * session's lock would be lost.
 */
async function withMigrationLock<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 3_000,
    keepAlive: true,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query("SET LOCAL lock_timeout = '120s'");
    await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    return await work();
  } finally {
    // Ending the connection ends the transaction, and so the lock.
    await client.end().catch(() => undefined);
  }
}
