import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { MigrationList } from "@prisma/schema-engine-wasm";
import pg from "pg";
import { z } from "zod";
import { migrate } from "../../src/db/migrate.ts";
import { runScript } from "../../src/db/run-script.ts";
import { openSchemaEngine, readMigrations, schemaFilter } from "../../src/db/schema-engine.ts";
import { diffDatabase } from "../support/db/diff.ts";
import { openPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { builtScript } from "../support/program/built.ts";

const run = promisify(execFile);
const silent = { info: () => undefined };
const opened: TestDatabase[] = [];

async function fresh(): Promise<string> {
  const database = await createDatabase({ empty: true });
  opened.push(database);
  return database.url;
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Runs the code of `npm run db:migrate` in this process, and returns the migrations that it reports as applied. */
async function migrateInProcess(url: string): Promise<string[]> {
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  const { stdout } = await run(process.execPath, [builtScript("src/bin/migrate.ts")], { env });
  return z.object({ applied: z.array(z.string()) }).parse(JSON.parse(stdout)).applied;
}

/** Applies some migrations as `migrate` applies all. */
async function apply(url: string, migrationsList: MigrationList): Promise<void> {
  const pool = openPool({ connectionString: url, max: 1 });
  try {
    await (await openSchemaEngine(pool)).applyMigrations({ migrationsList, filters: await schemaFilter() });
  } finally {
    await pool.end();
  }
}

/** Tables that release 0.2.0 reads, as far as they are there, and the marks of a chain that it has written. */
const MARK = `SELECT to_regclass('app.settled_order') IS NOT NULL AS settled,
  EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'event_chain_refill') AS marked`;

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.drop()));
});

describe("migrate", () => {
  it("refuses a database whose rows of keys no worker of 0.3.0 has completed, before it changes anything, and goes on once they are", async () => {
    const url = await fresh();
    const all = await readMigrations();
    const isBefore = ({ path }: { path: string }) => path < "20261125225900_complete_rows";
    await apply(url, { ...all, migrationDirectories: all.migrationDirectories.filter(isBefore) });
    await query(
      url,
      "INSERT INTO app.event_chain (chain_id, block_number, verified_block, filled) VALUES (7, 1, 1, false), (8, 1, 1, true)",
    );
    const refused = "the rows of chain 7 are not complete: run the worker of release 0.3.0";
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(migrate(url, silent)).rejects.toThrow(refused);
      expect(await query(url, MARK)).toEqual([{ settled: true, marked: true }]);
    }
    await query(url, "UPDATE app.event_chain SET filled = true, steps = steps + 1");
    const left = all.migrationDirectories.filter((one) => !isBefore(one)).map(({ path }) => path);
    expect(await migrate(url, silent)).toEqual(left);
    expect(await query(url, MARK)).toEqual([{ settled: false, marked: false }]);
  });

  it("applies every migration to a fresh database, and none the second time", async () => {
    const url = await fresh();
    const names = (await readMigrations()).migrationDirectories.map(({ path }) => path);
    expect(names.length).toBeGreaterThan(0);
    expect(await migrate(url, silent)).toEqual(names);
    expect(await migrate(url, silent)).toEqual([]);
  });

  it("lets one of several processes migrate and the others find nothing to do", async () => {
    const url = await fresh();
    const names = (await readMigrations()).migrationDirectories.map(({ path }) => path);
    const applied = await Promise.all([migrateInProcess(url), migrateInProcess(url), migrate(url, silent)]);
    expect(applied.flat()).toEqual(names);
  });

  it("keeps the table that Prisma's CLI keeps", async () => {
    const url = await fresh();
    await migrate(url, silent);
    const columns = await query<{ column_name: string; data_type: string }>(
      url,
      "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '_prisma_migrations' AND table_schema = 'public' ORDER BY ordinal_position",
    );
    expect(columns.map((column) => `${column.column_name} ${column.data_type}`)).toEqual([
      "id character varying",
      "checksum character varying",
      "finished_at timestamp with time zone",
      "migration_name character varying",
      "logs text",
      "rolled_back_at timestamp with time zone",
      "started_at timestamp with time zone",
      "applied_steps_count integer",
    ]);
    const [row] = await query<{ checksum: string; finished: boolean; applied_steps_count: number }>(
      url,
      "SELECT checksum, finished_at IS NOT NULL AS finished, applied_steps_count FROM _prisma_migrations",
    );
    expect(row).toMatchObject({ finished: true, applied_steps_count: 1 });
    expect(row?.checksum).toMatch(/^[0-9a-f]{64}$/);
  });

  it("makes exactly what schema.prisma says", async () => {
    const url = await fresh();
    await migrate(url, silent);
    const missing = await diffDatabase(url);
    if (missing !== "") throw new Error(`no migration has this:\n${missing}`);
  });

  it("sees where a database differs, and leaves the indexer's schema alone", async () => {
    const url = await fresh();
    await migrate(url, silent);
    await query(url, "CREATE SCHEMA onchain; CREATE VIEW onchain.stock_order AS SELECT 1 AS order_id");
    await query(url, "ALTER TABLE app.api_key DROP COLUMN name");
    const sql = await diffDatabase(url);
    expect(sql).toContain('ALTER TABLE "app"."api_key" ADD COLUMN     "name" TEXT NOT NULL');
    expect(sql).not.toContain("onchain");
  });

  it("leaves no lock behind, so that a later migration does not wait", async () => {
    const url = await fresh();
    await migrate(url, silent);
    expect(
      await query(
        url,
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      ),
    ).toEqual([]);
  });

  it("refuses rows whose addresses and hashes are not lower case", async () => {
    const url = await fresh();
    await migrate(url, silent);
    const insert = (user: string) =>
      query(
        url,
        `INSERT INTO app.api_key (name, api_key, secret_sealed, master_key_id, access, user_address)
         VALUES ('n', 'pk_${user}', decode(repeat('00', 60), 'hex'), 'k', 'READ_ONLY', '0x${user}')`,
      );
    await expect(insert("AB".repeat(20))).rejects.toThrow("api_key_user_address_check");
    await expect(insert("ab".repeat(20))).resolves.toEqual([]);
  });
});

describe("a migration's script", () => {
  it("holds nobody up while it waits for a lock, ends nobody's transaction, and is run when the lock is free", async () => {
    const pool = openPool({ connectionString: await fresh(), max: 3 });
    try {
      await pool.query("CREATE TABLE a (n int); CREATE TABLE b (n int)");
      const holder = await pool.connect();
      await holder.query("BEGIN; SELECT * FROM b");
      const done = runScript(pool, "ALTER TABLE a ADD m int; ALTER TABLE b ADD m int");
      // Locks row a: the script holds it and waits for b, which this transaction holds.
      for (let count = 0; count < 5; count++) {
        await holder.query("SELECT n FROM a");
        await holder.query("COMMIT; BEGIN; SELECT * FROM b");
      }
      await pool.query("SELECT * FROM a, b");
      await holder.query("COMMIT");
      holder.release();
      await done;
      await pool.query("SELECT a.m, b.m FROM a, b");
    } finally {
      await pool.end();
    }
  });

  it("fails at once for anything else, and leaves nothing", async () => {
    const pool = openPool({ connectionString: await fresh(), max: 1 });
    try {
      await expect(runScript(pool, "CREATE TABLE a (n int); SELECT 1 / 0")).rejects.toThrow(
        "division by zero",
      );
      expect((await pool.query("SELECT to_regclass('a') AS a")).rows).toEqual([{ a: null }]);
    } finally {
      await pool.end();
    }
  });
});
