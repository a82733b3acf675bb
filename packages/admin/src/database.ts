import type pg from "pg";
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

/** Runs a command on the database of a URL, over one connection: a command runs its statements one after the other. */
export async function withPoolOf(databaseUrl: string, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = createPool(databaseUrl, { max: 1 });
  try {
    // Prisma would only report that the database cannot be reached.
    (await pool.connect()).release();
    await work(pool);
  } finally {
    await pool.end();
  }
}
