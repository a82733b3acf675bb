import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "./generated/client.ts";
import { createPool, nameOn, type PoolOptions } from "./pool.ts";

export { createPool, type PoolOptions } from "./pool.ts";

/** Returns a Prisma client on a pool of its own, with the same bounds. Ends with `$disconnect()`. */
export function createPrisma(databaseUrl: string, options: PoolOptions): PrismaClient {
  return prismaOn(createPool(databaseUrl, options), { ...options, disposeExternalPool: true });
}

interface PrismaOptions extends Pick<PoolOptions, "connectTimeoutMs"> {
  /** True: `$disconnect()` ends the pool. */
  disposeExternalPool?: boolean;
}

/**
 * Returns a Prisma client on the connections of a pool, which other statements share: a process has one budget. Its statements have
 * names where those of the pool have. Whoever holds a connection for a transaction asks nothing else of the pool meanwhile, so none
 * waits for itself.
 */
export function prismaOn(
  pool: pg.Pool,
  { connectTimeoutMs = 10_000, disposeExternalPool = false }: PrismaOptions = {},
): PrismaClient {
  const statementNameGenerator = ({ sql }: { sql: string }) => nameOn(pool, sql);
  return new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator, disposeExternalPool }),
    errorFormat: "minimal",
    transactionOptions: { maxWait: connectTimeoutMs, timeout: 10_000 },
  });
}
