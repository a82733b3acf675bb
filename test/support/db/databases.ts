import type pg from "pg";
import { openPool } from "./pool.ts";
import { createDatabase } from "./postgres.ts";

/** Empty databases of a test file's own. */
export interface Databases {
  create(): Promise<{ url: string; pool: pg.Pool }>;
  /** Ends all pools and drops the databases. */
  stop(): Promise<void>;
}

export function makeDatabases(): Databases {
  const stops: (() => Promise<void>)[] = [];
  return {
    async create() {
      const { url, drop } = await createDatabase({ empty: true });
      const pool = openPool({ connectionString: url, max: 3 });
      stops.push(() => pool.end().then(drop));
      return { url, pool };
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
