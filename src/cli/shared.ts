import { userInfo } from "node:os";
import { InvalidArgumentError } from "commander";
import type pg from "pg";
import { parseEnv } from "../config/env.ts";
import { createPool } from "../db/client.ts";
import { formatWad, parseDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";

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

/** Reads a daily cap, mUSD to wad. Not null for none: commander takes that for an option without a value. */
export function cap(value: string): bigint | "none" {
  if (value === "none") return value;
  const wad = parseDecimal(value, WAD_DECIMALS);
  if (typeof wad !== "bigint") throw new InvalidArgumentError("an amount of mUSD, or none");
  return wad;
}

/** Writes a daily cap, mUSD wad, as commands print it. */
export const describeCap = (wad: bigint | null): string =>
  wad === null ? "no limit" : `${formatWad(wad)} mUSD of orders a UTC day`;
