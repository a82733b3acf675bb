// Marks a schema that can no longer be trusted by a comment on it, which every later start of its build reads, and as not ready, which
// readers read.
import pg from "pg";
import { withClient } from "./query.ts";

/** Ponder's log message of a reorg that reaches behind the blocks it can roll back. */
const BEYOND_REPAIR = "Encountered unrecoverable reorg";

export const isBeyondRepair = ({ msg }: { msg: string }): boolean => msg === BEYOND_REPAIR;

/** Returns why the schema must not be used any more, or null. */
export async function unusableReason(databaseUrl: string, schema: string): Promise<string | null> {
  const text = "SELECT obj_description(to_regnamespace($1)::oid, 'pg_namespace') AS reason";
  const reason: unknown = (await query(databaseUrl, text, [schema])).rows[0]?.reason;
  return typeof reason === "string" ? reason : null;
}

/** Closes the schema to readers and to later starts, until it is put aside (docs/operations/runbooks/indexer-deep-reorg.md). */
export async function markUnusable(databaseUrl: string, schema: string, reason: string): Promise<void> {
  const name = pg.escapeIdentifier(schema);
  await query(
    databaseUrl,
    `COMMENT ON SCHEMA ${name} IS ${pg.escapeLiteral(reason)};
     UPDATE ${name}._ponder_meta SET value = jsonb_set(value, '{is_ready}', '0')`,
  );
}

const query = (databaseUrl: string, text: string, values?: string[]) =>
  withClient(databaseUrl, { query_timeout: 5_000 }, (client) => client.query(text, values));
