import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type pg from "pg";
import { isReady, showBuild } from "../../indexer/views.ts";
import { until } from "../support/assert/until.ts";
import { openPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

/** The move of the views to a new build of the indexer, on tables as Ponder makes them. */
let database: TestDatabase;
let pool: pg.Pool;
let ending: AbortController;
let errors: unknown[];

beforeEach(async () => {
  database = await createDatabase({ empty: true });
  pool = openPool({ connectionString: database.url, max: 6 });
  ending = new AbortController();
  errors = [];
});
afterEach(async () => {
  ending.abort();
  await pool.end();
  await database.drop();
});

const checkpoint = (block: number) =>
  `${String(1_700_000_000 + block)}${"0".repeat(16)}${String(block).padStart(16, "0")}${"0".repeat(33)}`;

async function makeBuild(name: string, block: number, meta: object = {}): Promise<void> {
  const value = { is_ready: 1, is_locked: 1, heartbeat_at: Date.now(), ...meta };
  await pool.query(`
    CREATE SCHEMA onchain_${name}; SET LOCAL search_path = onchain_${name};
    CREATE TABLE _ponder_meta (key text PRIMARY KEY, value jsonb);
    INSERT INTO _ponder_meta VALUES ('app', '${JSON.stringify(value)}');
    CREATE TABLE _ponder_checkpoint (chain_id bigint, latest_checkpoint text);
    INSERT INTO _ponder_checkpoint VALUES (1, '${checkpoint(block)}');
    CREATE TABLE _reorg__stock_order (build text);
    CREATE TABLE stock_order (build text); INSERT INTO stock_order VALUES ('${name}');
    CREATE FUNCTION live_query_notify() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_notify('onchain_${name}_live_query', '[]'); RETURN NULL; END $$`);
}

const moveTo = (name: string, block: number) =>
  pool.query(`UPDATE onchain_${name}._ponder_checkpoint SET latest_checkpoint = $1`, [checkpoint(block)]);

const show = (name: string) =>
  showBuild({
    databaseUrl: database.url,
    schema: `onchain_${name}`,
    signal: ending.signal,
    onRetry: (error) => errors.push(error),
  });

const shown = async () => (await pool.query("SELECT build FROM onchain.stock_order")).rows[0]?.build;

it("shows the first build at once, its tables and nothing of Ponder's own beside", async () => {
  await makeBuild("a", 5);
  expect(await show("a")).toBe(true);
  expect(await shown()).toBe("a");
  const { rows } = await pool.query("SELECT viewname FROM pg_views WHERE schemaname = 'onchain' ORDER BY 1");
  expect(rows.map(({ viewname }) => viewname)).toEqual(["_ponder_checkpoint", "_ponder_meta", "stock_order"]);
  expect(await show("a")).toBe(false);
  expect(errors).toEqual([]);
});

it.each(["cash_balance", "stock_balance"])(
  "shows the half of an activity in %s as 0.3.0 reads it",
  async (table) => {
    await makeBuild("a", 5);
    await pool.query(`
    CREATE TABLE onchain_a.${table} (user_address text, open_kind text, open_cause_id text, open_delta numeric(78),
      open_locked numeric(78), open_tx_hash text, open_log_index int, open_block_number numeric(78), open_timestamp numeric(78));
    INSERT INTO onchain_a.${table} VALUES ('1', 'other', NULL, 2, 0, '0xaa', 7, 10, 1000),
      ('2', 'order-placed', '0xbb', -3, 3, '0xaa', 9, 10, 1000);
    INSERT INTO onchain_a.${table} (user_address) VALUES ('3')`);
    await show("a");
    const { rows } = await pool.query(`SELECT open_activity FROM onchain.${table} ORDER BY user_address`);
    expect(rows.map(({ open_activity }) => open_activity)).toEqual([
      "ledger 0xaa 2 7 10 1000 other  0",
      "cause 0xaa -3 9 10 1000 order-placed 0xbb 3",
      null,
    ]);
  },
);

it("waits until a new build has reached the block of the old one, while both go on", async () => {
  await makeBuild("a", 50);
  await show("a");
  await makeBuild("b", 20);
  const moved = show("b");
  for (const block of [30, 49]) {
    await moveTo("b", block);
    await moveTo("a", block + 10);
    expect(await shown()).toBe("a");
  }
  await moveTo("b", 59);
  expect(await moved).toBe(true);
  expect(await shown()).toBe("b");
  const { rows } = await pool.query(
    "SELECT nspname FROM pg_namespace WHERE nspname LIKE '%onchain' ORDER BY 1",
  );
  expect(rows.map(({ nspname }) => nspname)).toEqual(["onchain"]);
  expect(errors).toEqual([]);
});

it("waits for no build whose indexer is gone", async () => {
  await makeBuild("a", 50, { heartbeat_at: Date.now() - 60_000 });
  await show("a");
  await makeBuild("b", 20);
  expect(await show("b")).toBe(true);
  expect(await shown()).toBe("b");
});

it("has moved the views also where a long transaction keeps the old ones", async () => {
  await makeBuild("a", 50);
  await show("a");
  const reader = await pool.connect();
  try {
    await reader.query("BEGIN");
    await reader.query("SELECT * FROM onchain.stock_order");
    await makeBuild("b", 50);
    const moved = show("b");
    await until("the old views cannot be read", () => errors.length > 0 || undefined);
    expect(await shown()).toBe("b");
    await reader.query("COMMIT");
    expect(await moved).toBe(true);
  } finally {
    reader.release();
  }
  const { rows } = await pool.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%onchain'");
  expect(rows.map(({ nspname }) => nspname)).toEqual(["onchain"]);
});

it("ends no reader of several views, whatever they hold", async () => {
  await makeBuild("a", 50);
  await show("a");
  let over = false;
  const read = async (first: string, second: string) => {
    for (; !over; ) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        for (const view of [first, second]) await client.query(`SELECT count(*) FROM onchain.${view}`);
        await client.query("COMMIT");
      } finally {
        client.release();
      }
    }
  };
  const readers = [
    read("stock_order", "_ponder_meta"),
    read("_ponder_meta", "stock_order"),
    read("_ponder_checkpoint", "stock_order"),
  ];
  for (const name of ["b", "c", "d"]) {
    await makeBuild(name, 50);
    expect(await show(name)).toBe(true);
  }
  over = true;
  await Promise.all(readers);
  expect([await shown(), errors]).toEqual(["d", []]);
});

it("notifies of the new build's blocks, and no longer of the old one's, on the channel of the views", async () => {
  await makeBuild("a", 50);
  await show("a");
  await makeBuild("b", 50);
  await show("b");
  const heard: string[] = [];
  const listener = await pool.connect();
  listener.on("notification", ({ channel }) => heard.push(channel));
  await listener.query("LISTEN onchain_live_query");
  await moveTo("a", 51);
  await moveTo("b", 51);
  await until("a notification", () => heard.length > 0);
  expect(heard).toEqual(["onchain_live_query"]);
  listener.release(true);
});

it("begins when Ponder says that its rows are true", () => {
  const line = { level: "info" as const, msg: "Started returning 200 responses" };
  expect(isReady({ ...line, fields: { endpoint: "/ready" } })).toBe(true);
  expect(isReady({ ...line, fields: { endpoint: "/health" } })).toBe(false);
});
