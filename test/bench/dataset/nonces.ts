import pg from "pg";
import type { DataSet } from "./database.ts";

/** Empties the table of nonces, which the worker does in production: the runs before leave no weight. */
export async function clearNonces({ urls }: DataSet): Promise<void> {
  const client = new pg.Client({ connectionString: urls.admin });
  await client.connect();
  try {
    await client.query("TRUNCATE app.api_nonce");
  } finally {
    await client.end();
  }
}
