import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { readMigrations } from "../../src/db/schema-engine.ts";
import { present } from "../support/assert/until.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { openPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

// The tables with data in them become their own first partitions, while programs of the version before run.

const FIRST = "20261123073401_event_positions";
const LAST = "20261123073405_partitions";
const ROLE = `program_${randomUUID().replaceAll("-", "")}`;
const KEY = randomUUID();

let database: TestDatabase;
let pool: pg.Pool;
let scripts: { name: string; sql: string }[];
let before: Record<string, string>;

/** As the version before writes: it knows no position of deliveries. */
const INSERT_EVENTS = `
  INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, data)
  SELECT $1::uuid, 1, 'P', n, gen_random_uuid(), 'order.filled', 'orders', '{"requestId":"r"}' FROM generate_series($2::int, $3::int) n`;
const INSERT_DELIVERIES = `
  INSERT INTO app.webhook_delivery (webhook_id, sequence, event_id, event_type, event_at, object, next_at)
  SELECT w.webhook_id, n, gen_random_uuid(), 'order.filled', now(), 'o', now() FROM app.webhook w, generate_series($1::int, $2::int) n`;

const filenodes = async (...tables: string[]): Promise<Record<string, string>> => {
  const { rows } = await pool.query<{ name: string; node: string }>(
    "SELECT t AS name, pg_relation_filenode(t)::text AS node FROM unnest($1::text[]) t",
    [tables],
  );
  return Object.fromEntries(rows.map(({ name, node }) => [name, node]));
};

async function apply(names: (name: string) => boolean): Promise<void> {
  for (const { name, sql } of scripts) if (names(name)) await pool.query(sql);
}

async function as<T>(statement: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`SET ROLE ${ROLE}`);
    return await statement(client);
  } finally {
    client.release(true);
  }
}

beforeAll(async () => {
  database = await createDatabase({ empty: true });
  pool = openPool({ connectionString: database.url, max: 4 });
  // A connection that is still closing may meet the database's end.
  scripts = (await readMigrations()).migrationDirectories
    .map(({ path, migrationFile }) => ({ name: path, sql: contentOf(migrationFile.content) }))
    .filter(({ name }) => name <= LAST);
  await apply((name) => name < FIRST);
  await pool.query(`
    CREATE ROLE ${ROLE};
    GRANT USAGE ON SCHEMA app TO ${ROLE};
    GRANT SELECT, INSERT ON app.event, app.webhook_delivery TO ${ROLE};
    GRANT USAGE ON SEQUENCE app.event_position_seq TO ${ROLE};
    GRANT SELECT ON app.webhook TO ${ROLE};
    GRANT UPDATE (state, ended_at, next_at) ON app.webhook_delivery TO ${ROLE}`);
  await pool.query(
    `INSERT INTO app.api_key (key_id, name, api_key, secret_sealed, master_key_id, access)
     VALUES ($1, 'n', 'pk_one', decode(repeat('00', 60), 'hex'), 'k', 'READ_ONLY')`,
    [KEY],
  );
  await pool.query(
    "INSERT INTO app.webhook (key_id, chain_id, product_type, url, types, cursor) VALUES ($1, 1, 'P', 'u', '', 0)",
    [KEY],
  );
  await pool.query(INSERT_EVENTS, [KEY, 1, 50]);
  await pool.query("UPDATE app.event SET position = NULL WHERE sequence <= 5");
  await pool.query(INSERT_DELIVERIES, [1, 40]);
  before = await filenodes("app.event", "app.webhook_delivery");
});

afterAll(async () => {
  await pool.query(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
  await pool.end();
  await database.drop();
});

const contentOf = (content: { tag: string; value?: unknown }): string => {
  if (typeof content.value !== "string") throw new Error("a migration cannot be read");
  return content.value;
};

describe("the migration to partitions", () => {
  it("waits for whoever reads without holding up others, and goes on then", async () => {
    const reader = await pool.connect();
    await reader.query("BEGIN; SELECT count(*) FROM app.event");
    const applied = apply((name) => name >= FIRST);
    await waitsForLock(pool, "%LOCK TABLE%", applied);
    // Behind a waiting ACCESS EXCLUSIVE every reader waits: until the attempt ends.
    await as(async (client) => {
      await client.query("SET statement_timeout = '5s'");
      for (let n = 0; n < 3; n++) await client.query("SELECT count(*) FROM app.event");
      await client.query(INSERT_EVENTS, [KEY, 51, 52]);
    });
    await reader.query("COMMIT");
    reader.release();
    await applied;
  });

  it("copies no row: the tables are the first partitions as they are", async () => {
    const after = await filenodes("app.event_p00000000", "app.webhook_delivery_p00000000");
    expect(Object.values(after)).toEqual(Object.values(before));
    const { rows } = await pool.query(
      `SELECT count(*)::int AS events, count(DISTINCT position)::int AS positions,
         max(position) FILTER (WHERE sequence <= 5)::int AS unplaced, min(position) FILTER (WHERE sequence > 5)::int AS placed
       FROM app.event`,
    );
    expect(rows).toEqual([{ events: 52, positions: 52, unplaced: -1, placed: 6 }]);
    expect((await pool.query("SELECT FROM app.webhook_delivery WHERE position = 0")).rowCount).toBe(40);
  });

  it("lets a program of the version before write, by the privileges that it had, through the parents alone", async () => {
    await as(async (client) => {
      await client.query(INSERT_EVENTS, [KEY, 53, 54]);
      await client.query(INSERT_DELIVERIES, [41, 42]);
      await client.query(
        "UPDATE app.webhook_delivery SET state = 'delivered', ended_at = now(), next_at = NULL WHERE sequence IN (1, 42)",
      );
      const { rowCount } = await client.query("SELECT FROM app.webhook_delivery WHERE state = 'delivered'");
      expect(rowCount).toBe(2);
      for (const refused of [
        "SELECT FROM app.event_p00000000",
        "INSERT INTO app.webhook_delivery_p00000000 DEFAULT VALUES",
        "UPDATE app.webhook_delivery SET attempts = 1",
        "DELETE FROM app.event",
        "SELECT app.make_partitions(now(), 1)",
        "SELECT app.detach_partition(now(), 1)",
        "SELECT app.drop_detached_partitions()",
      ])
        await expect(client.query(refused)).rejects.toMatchObject({ code: "42501" });
    });
  });

  it("keeps sequences and deliveries once, and the webhook that deliveries name", async () => {
    const again = { code: "23505" };
    await expect(pool.query(INSERT_EVENTS, [KEY, 54, 54])).rejects.toMatchObject(again);
    await expect(pool.query(INSERT_DELIVERIES, [42, 42])).rejects.toMatchObject(again);
    await expect(
      pool.query("INSERT INTO app.event SELECT * FROM app.event WHERE sequence = 7"),
    ).rejects.toMatchObject(again);
    // PostgreSQL 18 has a code of its own for RESTRICT.
    await expect(pool.query("DELETE FROM app.webhook")).rejects.toMatchObject({
      code: expect.stringMatching(/^23(001|503)$/),
    });
    await expect(pool.query("UPDATE app.webhook_delivery SET state = 'lost'")).rejects.toMatchObject({
      code: "23514",
    });
  });

  it("keeps the sequence of positions when the first partition goes", async () => {
    const { rows } = await pool.query<{ owner: string }>(
      `SELECT d.refobjid::regclass::text AS owner FROM pg_depend d
       WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'a'
         AND d.objid IN ('app.event_position_seq'::regclass, 'app.webhook_delivery_position_seq'::regclass) ORDER BY 1`,
    );
    expect(rows.map(({ owner }) => owner)).toEqual(["app.event", "app.webhook_delivery"]);
    const { rows: ahead } = await pool.query<{ name: string; count: number }>(
      "SELECT parent AS name, count(*)::int AS count FROM app.partitions() GROUP BY 1 ORDER BY 1",
    );
    expect(ahead).toEqual([
      { name: "event", count: 6 },
      { name: "webhook_delivery", count: 6 },
    ]);
    expect(present(scripts.at(-1), "a script").name).toBe(LAST);
  });
});
