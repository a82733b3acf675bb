import { userInfo } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import type pg from "pg";
import { parseEnv } from "../config/env.ts";
import { createPool, prismaOn } from "../db/client.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { formatWad, parseDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";

/** Where a command runs. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  stdout: Output;
  stderr: Output;
}

interface Output {
  write(text: string): unknown;
}

/** Creates a command that writes to a terminal, also what commander says, and throws where it would end the process. */
export function createCommand(name: string, { stdout, stderr }: Terminal): Command {
  return new Command(name)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .exitOverride();
}

/** Prints a line of output. */
export function print({ stdout }: Terminal, text: string): void {
  stdout.write(`${text}\n`);
}

/** Returns who gives the command: the actor of audit entries. */
export function operator(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without a name, as containers have them.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** The database, by Prisma and by `pg`, over one connection: a command does one thing after the other. */
export interface Database {
  prisma: PrismaClient;
  pool: pg.Pool;
}

/** Runs a command on the database of a URL. @throws Error in the driver's own words where it cannot be reached */
export async function withDatabase(
  databaseUrl: string,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const pool = createPool(databaseUrl, { max: 1 });
  try {
    // Prisma would only report that the database cannot be reached.
    (await pool.connect()).release();
    await work({ pool, prisma: prismaOn(pool) });
  } finally {
    await pool.end();
  }
}

/** Runs a command on the database of the environment. */
export function withEnvironment(
  { env }: Terminal,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  return withDatabase(parseEnv("cli", env).DATABASE_URL, work);
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
