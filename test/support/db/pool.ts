import pg from "pg";
import { createPool, type PoolOptions } from "../../../src/db/pool.ts";

/**
 * Creates a pool whose idle connections may be lost: a database that ends, or is dropped, before the pool does would end the
 * process otherwise.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on("error", () => undefined);
  return pool;
}

/** Timeouts of the tests' own clients, long enough for a stalled machine and for many keys that wait for each other. */
export const PATIENT = { connectTimeoutMs: 60_000, queryTimeoutMs: 60_000 };

/** Creates a pool of the product's, with bounds that a slow machine does not reach. */
export function createTestPool(databaseUrl: string, options: PoolOptions): pg.Pool {
  return createPool(databaseUrl, { ...PATIENT, ...options });
}
