import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "./generated/client.ts";
import { type PoolOptions, poolConfig } from "./pool.ts";
import { nameStatements } from "./prepared.ts";

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
  const nameOf = options.preparedStatements ? nameStatements() : null;
  const adapter = new PrismaPg(pool, {
    // Prisma listens for errors of idle connections, and calls this back.
    onPoolError: options.onIdleError,
    disposeExternalPool: true,
    ...(nameOf ? { statementNameGenerator: ({ sql }) => nameOf(sql) } : {}),
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
