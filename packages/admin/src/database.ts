import type pg from "pg";
import { requestAction, unconfirmedAction } from "../../../src/auth/second-login.ts";
import { parseEnv } from "../../../src/config/env.ts";
import { createPool } from "../../../src/db/pool.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs a command on the database of the environment.
 * @throws Error with the driver's message where it cannot be reached
 */
export function withPool(terminal: Terminal, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  return withPoolOf(parseEnv("cli", terminal.env).DATABASE_URL, work);
}

/**
 * Runs a command on the database of a URL, over one connection: a command runs its statements one after the other. What needs two people
 * is asked for, and done once another login runs the same command.
 * @throws Error that says so
 */
export async function withPoolOf(databaseUrl: string, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = createPool(databaseUrl, { max: 1 });
  try {
    // Prisma would only report that the database cannot be reached.
    (await pool.connect()).release();
    await work(pool).catch(async (error: unknown) => {
      const needed = unconfirmedAction(error);
      if (needed === null) throw error;
      const until = await requestAction(pool, needed);
      if (until === null) throw error;
      throw new Error(
        `${needed.action} of ${needed.subject} needs two people, and is asked for: nothing is changed until another operator runs the same command, with a login of their own, before ${until.toISOString()}`,
        { cause: error },
      );
    });
  } finally {
    await pool.end();
  }
}
