// Marks a schema that can no longer be trusted by a comment on it, which every later start of its build reads.
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

/** Closes the schema to later starts, until it is dropped. */
export async function markUnusable(databaseUrl: string, schema: string, reason: string): Promise<void> {
  const text = `COMMENT ON SCHEMA ${pg.escapeIdentifier(schema)} IS ${pg.escapeLiteral(reason)}`;
  await query(databaseUrl, text, []);
}

const query = (databaseUrl: string, text: string, values: string[]) =>
  withClient(databaseUrl, { query_timeout: 5_000 }, (client) => client.query(text, values));
