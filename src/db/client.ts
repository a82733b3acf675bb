import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "./generated/client.ts";
import { type PoolOptions, poolConfig } from "./pool.ts";

export { createPool, type PoolOptions } from "./pool.ts";

/** Returns the Prisma client, on a pool of its own with the same bounds. Ends with `$disconnect()`. */
export function createPrisma(databaseUrl: string, options: PoolOptions): PrismaClient {
  const config = poolConfig(databaseUrl, options);
  const adapter = new PrismaPg(config, {
    onPoolError: options.onIdleError,
    ...(options.preparedStatements ? { statementNameGenerator: nameStatements() } : {}),
  });
  return new PrismaClient({
    adapter,
    errorFormat: "minimal",
    transactionOptions: { maxWait: options.connectTimeoutMs ?? 3_000, timeout: 10_000 },
  });
}

/** Returns a Prisma client on the connections of a pool, for programs that use both one after the other. Ends with the pool. */
export function prismaOn(pool: pg.Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    errorFormat: "minimal",
    transactionOptions: { maxWait: 10_000, timeout: 10_000 },
  });
}

/** Each connection of the server keeps its prepared statements for good: filters come in many combinations. */
const NAMED_STATEMENTS_MAX = 500;

/** Returns a name for each text of a statement, and none (the empty one) once there are too many. */
export function nameStatements(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= NAMED_STATEMENTS_MAX) return known ?? "";
    const name = `partner_${names.size}`;
    names.set(sql, name);
    return name;
  };
}
