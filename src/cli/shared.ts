import { userInfo } from "node:os";
import type pg from "pg";
import { parseEnv } from "../config/env.ts";
import { createPool } from "../db/client.ts";

/** Who gives the command: the actor of audit entries. */
export function operator(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without a name, as containers have them.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** Runs a command on the database of the environment. */
export async function withPool(
  env: NodeJS.ProcessEnv,
  work: (pool: pg.Pool) => Promise<void>,
): Promise<void> {
  const pool = createPool(parseEnv("cli", env).DATABASE_URL, { max: 1 });
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}
