import type pg from "pg";

/** Runs statements in one transaction: all of them are committed when it returns, none where it throws. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    client.release();
    return result;
  } catch (error) {
    // The connection goes with it: that rolls back, also where it is no longer known what the server got to see.
    client.release(true);
    throw error;
  }
}
