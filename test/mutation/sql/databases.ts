import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { type PostgresServer, startPostgres } from "../../support/db/postgres.ts";
import type { DatabaseEnv } from "./jest-run.ts";

const run = promisify(execFile);

/** One server for all runs, and the migrated databases that their tests copy. */
export interface Databases {
  /** Returns a database that was migrated by the sources below `root`. */
  template(root: string): Promise<DatabaseEnv>;
  stop(): Promise<void>;
}

export async function startDatabases(): Promise<Databases> {
  const server = await startPostgres();
  let count = 0;
  return {
    async template(root) {
      const name = `template_${++count}`;
      await administer(server, `CREATE DATABASE ${name}`);
      const url = new URL(server.adminUrl);
      url.pathname = `/${name}`;
      // Runs in a process of its own: Prisma's WASM engine breaks where two checkouts use it in one.
      await run(process.execPath, ["--import", "tsx", "src/bin/migrate.ts"], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: "error" },
      });
      return { TEST_DATABASE_ADMIN_URL: server.adminUrl, TEST_DATABASE_TEMPLATE: name };
    },
    stop: () => server.stop(),
  };
}

async function administer({ adminUrl }: PostgresServer, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
