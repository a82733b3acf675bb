import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { isConflict } from "./errors.ts";
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
export function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  begin: "BEGIN" | "BEGIN ISOLATION LEVEL REPEATABLE READ" = "BEGIN",
): Promise<T> {
  return withConnection(pool, async (client) => {
    await client.query(begin);
    const result = await work(client);
    await client.query("COMMIT").catch((cause: unknown) => {
      throw new CommitUnknown(cause);
    });
    return result;
  });
}

/** More than other writers can cause: a row that is locked first is changed once while this waits for it. */
const ATTEMPTS_MAX = 10;
/** About as long as a transaction of another writer takes. */
const PAUSE_MAX_MS = 20;

/**
 * Runs statements that all read one state of the database, in one transaction like inTransaction. What they lock or change is as they
 * read it: where another transaction has changed it meanwhile, or a deadlock was ended, all of `work` is repeated.
 * @throws CommitUnknown where all or none of them are committed
 */
export async function inSnapshot<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, work, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isConflict(error)) throw error;
      // Two that repeat at once would only meet again.
      if (attempt > 1) await sleep(Math.random() * PAUSE_MAX_MS);
    }
  }
}
