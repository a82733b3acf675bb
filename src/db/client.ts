import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "./generated/client.ts";
import { type PoolOptions, poolConfig } from "./pool.ts";

export { createPool, type PoolOptions } from "./pool.ts";

/** Returns the Prisma client, on a pool of its own with the same bounds. Ends with `$disconnect()`. */
export function createPrisma(databaseUrl: string, options: PoolOptions): PrismaClient {
  return createPrismaWithPool(databaseUrl, options).prisma;
}

/** Returns the Prisma client as createPrisma does, and its pool. */
export function createPrismaWithPool(
  databaseUrl: string,
  options: PoolOptions,
): { prisma: PrismaClient; pool: pg.Pool } {
  const pool = new pg.Pool(poolConfig(databaseUrl, options));
  const adapter = new PrismaPg(pool, {
    // Prisma listens for errors of idle connections, and calls this back.
    onPoolError: options.onIdleError,
    disposeExternalPool: true,
    ...(options.preparedStatements ? { statementNameGenerator: nameStatements() } : {}),
  });
  const prisma = new PrismaClient({
    adapter,
    errorFormat: "minimal",
    transactionOptions: { maxWait: options.connectTimeoutMs ?? 3_000, timeout: 10_000 },
  });
  return { prisma, pool };
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
