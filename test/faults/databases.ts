import pg from "pg";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";

/** A PostgreSQL server of a test's own, and empty databases on it. */
export interface Databases {
  create(): Promise<{ url: string; pool: pg.Pool }>;
  /** Ends all pools and the server. */
  stop(): Promise<void>;
}

export async function startDatabases(): Promise<Databases> {
  const server: PostgresServer = await startPostgres();
  const pools: pg.Pool[] = [];
  let created = 0;
  return {
    async create() {
      created += 1;
      const name = `stage_${created}`;
      const admin = new pg.Client({ connectionString: server.adminUrl });
      await admin.connect();
      await admin.query(`CREATE DATABASE ${name}`).finally(() => admin.end());
      const url = server.adminUrl.replace(/postgres$/, name);
      const pool = new pg.Pool({ connectionString: url, max: 3 });
      // A wait that outlives a failed test may meet the server's end.
      pool.on("error", () => undefined);
      pools.push(pool);
      return { url, pool };
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
    },
  };
}
