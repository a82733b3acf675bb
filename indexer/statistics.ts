import pg from "pg";

/** What Ponder logs between its backfill and the move of the views to the new build. */
const BACKFILL_DONE = "Completed backfill indexing across all chains";

export const isBackfillDone = ({ msg }: { msg: string }): boolean => msg === BACKFILL_DONE;

/**
 * Gives the planner statistics of a build's tables. After a bulk load PostgreSQL has none until autovacuum comes by, up to a
 * minute later, and plans meanwhile as if tables of millions of rows were small: statements that take a millisecond took ten
 * seconds. Plans that other connections keep are made anew by it.
 */
export async function analyzeTables(connectionString: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 });
  await client.connect();
  try {
    const text = "SELECT tablename FROM pg_tables WHERE schemaname = $1";
    const { rows } = await client.query<{ tablename: string }>(text, [schema]);
    for (const { tablename } of rows)
      await client.query(`ANALYZE ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(tablename)}`);
  } finally {
    await client.end();
  }
}
