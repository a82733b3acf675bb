import pg from "pg";
import { withClient } from "./query.ts";

/** Ponder logs this before its rows are true; the views move to the new build later. */
const BACKFILL_DONE = "Completed backfill indexing across all chains";

export const isBackfillDone = ({ msg }: { msg: string }): boolean => msg === BACKFILL_DONE;

/**
 * Analyzes all tables of a build. After a bulk load PostgreSQL has none until autovacuum comes by, up to a
 * minute later, and plans meanwhile as if tables of millions of rows were small: statements that take a millisecond took ten
 * seconds. Plans that other connections keep are made anew by it.
 */
export function analyzeTables(databaseUrl: string, schema: string): Promise<void> {
  return withClient(databaseUrl, {}, async (client) => {
    const text = "SELECT tablename FROM pg_tables WHERE schemaname = $1";
    const { rows } = await client.query<{ tablename: string }>(text, [schema]);
    for (const { tablename } of rows)
      await client.query(`ANALYZE ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(tablename)}`);
  });
}
