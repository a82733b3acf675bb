import type pg from "pg";

/** A COMMIT was asked for, and its answer never came: it may have happened. The failure is the cause. */
export class CommitUnknown extends Error {
  override readonly name = "CommitUnknown";

  constructor(cause: unknown) {
    super("whether the transaction was committed is not known", { cause });
  }
}

/**
 * Runs statements in one transaction: all of them are committed when it returns, none where it throws.
 * @throws CommitUnknown where all or none of them are
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements emits an event, which would end the process where nobody
  // listens; the next statement fails anyway.
  client.on("error", ignore);
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT").catch((cause: unknown) => {
      throw new CommitUnknown(cause);
    });
    client.release();
    return result;
  } catch (error) {
    // The connection goes with it: that rolls back, also where it is no longer known what the server got to see.
    client.release(true);
    throw error;
  } finally {
    client.off("error", ignore);
  }
}

function ignore(): void {}
