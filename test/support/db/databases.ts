import pg from "pg";
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
      const pool = new pg.Pool({ connectionString: url, max: 3 });
      // A wait that outlives a failed test may meet the database's end.
      pool.on("error", () => undefined);
      stops.push(() => pool.end().then(drop));
      return { url, pool };
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
