import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "./generated/client.ts";

export interface PoolOptions {
  /** Connections at most. */
  max: number;
  /** How long one statement may take, milliseconds. The connection of a statement that takes longer is thrown away. */
  queryTimeoutMs?: number;
  /** How long to wait for a connection, milliseconds, whether the pool is exhausted or the server silent. */
  connectTimeoutMs?: number;
  /** Told of connections that break while idle; the next statement simply opens another. */
  onIdleError?: (error: Error) => void;
}

/**
 * A pool of connections for statements through `pg` itself: every wait is bounded, so a dead or silent database is an
 * error within seconds (DATABASE_UNAVAILABLE, see errors.ts) and never a hanging request.
 * The bounds are the client's own: a `statement_timeout` would have to be sent when connecting, which PgBouncer refuses.
 */
export function createPool(databaseUrl: string, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool(poolConfig(databaseUrl, options));
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on("error", options.onIdleError ?? (() => undefined));
  return pool;
}

/** The Prisma client, on a pool of its own with the same bounds. Ends with `$disconnect()`. */
export function createPrisma(databaseUrl: string, options: PoolOptions): PrismaClient {
  const config = poolConfig(databaseUrl, options);
  const adapter = new PrismaPg(config, { onPoolError: options.onIdleError });
  return new PrismaClient({
    adapter,
    transactionOptions: { maxWait: options.connectTimeoutMs ?? 3_000, timeout: 10_000 },
  });
}

function poolConfig(databaseUrl: string, options: PoolOptions): pg.PoolConfig {
  return {
    connectionString: databaseUrl,
    max: options.max,
    query_timeout: options.queryTimeoutMs ?? 10_000,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 3_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "partner-trading",
  };
}
