import type pg from "pg";
import { withConnection } from "./pool.ts";

/** A COMMIT was asked for, and its answer never came: it may have happened. The failure is the cause. */
export class CommitUnknown extends Error {
  override readonly name = "CommitUnknown";

  constructor(cause: unknown) {
    super("whether the transaction was committed is not known", { cause });
  }
}

/** The connection of a transaction. Nothing but the database may be asked while it is open. */
export type Tx = pg.PoolClient;

/**
 * Runs statements in one transaction: all of them are committed when it returns, none where it throws.
 * @throws CommitUnknown where all or none of them are
 */
export function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withConnection(pool, async (client) => {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT").catch((cause: unknown) => {
      throw new CommitUnknown(cause);
    });
    return result;
  });
}
