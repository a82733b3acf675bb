import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "./generated/client.ts";
import { namePrepared } from "./prepared.ts";

export interface PoolOptions {
  /** Connections at most. */
  max: number;
  /** How long one statement may take, milliseconds. The connection of a statement that takes longer is thrown away. */
  queryTimeoutMs?: number;
  /** How long to wait for a connection, milliseconds, whether the pool is exhausted or the server silent. */
  connectTimeoutMs?: number;
  /**
   * Gives statements names, so that PostgreSQL parses and plans each once per connection: all of Prisma, and those of a pool
   * that are marked (prepared.ts). Our joins take longer to plan than to run. Behind a PgBouncer that pools transactions
   * it needs 1.21 or later.
   */
  preparedStatements?: boolean;
  /** Called with the error of a connection that breaks while idle; the next statement simply opens another. */
  onIdleError?: (error: Error) => void;
}

/**
 * Returns a pool of connections for statements through `pg` itself: every wait is bounded, so a dead or silent database is an
 * error within seconds (DATABASE_UNAVAILABLE, see errors.ts) and never a hanging request.
 * The bounds are the client's own: a `statement_timeout` would have to be sent when connecting, which PgBouncer refuses.
 */
export function createPool(databaseUrl: string, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool(poolConfig(databaseUrl, options));
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on("error", options.onIdleError ?? (() => undefined));
  if (options.preparedStatements) namePrepared(pool);
  return pool;
}

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
