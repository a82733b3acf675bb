import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { isReady, showBuild } from "../../indexer/views.ts";
import { buildIdSql } from "../../src/db/checkpoint.ts";
import { sql } from "../../src/db/sql.ts";
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

interface Build {
  /** Chains whose rows it has; 1 by default. */
  chains?: number[];
  meta?: object;
  /** A column that other builds do not have, with its type. */
  column?: string;
}

async function makeBuild(name: string, block: number, build: Build = {}): Promise<void> {
  const { chains = [1], meta = {}, column = "" } = build;
  const value = { is_ready: 1, is_locked: 1, heartbeat_at: Date.now(), build_id: name, ...meta };
  await pool.query(`
    CREATE SCHEMA onchain_${name}; SET LOCAL search_path = onchain_${name};
    CREATE TABLE _ponder_meta (key text PRIMARY KEY, value jsonb);
    INSERT INTO _ponder_meta VALUES ('app', '${JSON.stringify(value)}');
    CREATE TABLE _ponder_checkpoint (chain_id bigint, latest_checkpoint text);
    INSERT INTO _ponder_checkpoint SELECT unnest('{${chains}}'::bigint[]), '${checkpoint(block)}';
    CREATE TABLE _reorg__stock_order (build text);
    CREATE TABLE stock_order (chain_id int, build text${column && `, ${column}`});
    INSERT INTO stock_order SELECT unnest('{${chains}}'::int[]), '${name}';
    CREATE FUNCTION live_query_notify() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_notify('onchain_${name}_live_query', '[]'); RETURN NULL; END $$`);
}

const moveTo = (name: string, block: number) =>
  pool.query(`UPDATE onchain_${name}._ponder_checkpoint SET latest_checkpoint = $1`, [checkpoint(block)]);

/** Shows a chain's build. @param others builds of the same release of other chains */
const show = (name: string, chainId = 1, others: Record<number, string> = {}, yields = false) =>
  showBuild({
    databaseUrl: database.url,
    chainId,
    yields,
    builds: new Map(
      Object.entries({ ...others, [chainId]: name }).map(([chain, one]) => [Number(chain), `onchain_${one}`]),
    ),
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

/** Makes an indexer have been silent for so many seconds. */
const silence = (name: string, seconds: number) =>
  pool.query(
    `UPDATE onchain_${name}._ponder_meta SET value = jsonb_set(value, '{heartbeat_at}', to_jsonb($1::float8))`,
    [Date.now() - seconds * 1_000],
  );

/** Expects a move to be waiting, after it has had the time for several looks. */
async function expectUnmoved(moved: Promise<boolean>): Promise<void> {
  const looked = new Promise((resolve) => setTimeout(resolve, 500, "waits"));
  expect(await Promise.race([moved, looked])).toBe("waits");
}

it("turns to no build that an earlier try left, and whose indexer is gone", async () => {
  await makeBuild("a", 50);
  await silence("a", 60);
  await expectUnmoved(show("a"));
  expect(errors).toEqual([]);
});

it("leaves the views to a build that another indexer writes, where it only starts again", async () => {
  await makeBuild("a", 50);
  await show("a");
  await makeBuild("b", 50);
  await show("b");
  expect(await show("a", 1, {}, true)).toBe(false);
  expect(await shown()).toBe("b");
  await silence("b", 60);
  expect(await show("a", 1, {}, true)).toBe(true);
  expect(await shown()).toBe("a");
});

it("waits for no build whose indexer is gone", async () => {
  await makeBuild("a", 50);
  await show("a");
  await silence("a", 60);
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

describe("several chains", () => {
  /** Content of the views: the build of each chain's rows, and the chains with a checkpoint. */
  const chainsShown = async () => {
    const { rows } = await pool.query("SELECT chain_id, build FROM onchain.stock_order ORDER BY 1");
    const { rows: checkpoints } = await pool.query(
      "SELECT chain_id::int FROM onchain._ponder_checkpoint ORDER BY 1",
    );
    return {
      rows: Object.fromEntries(rows.map(({ chain_id, build }) => [chain_id, build])),
      ready: checkpoints.map(({ chain_id }) => chain_id),
    };
  };
  const setReady = (name: string, isReady: number) =>
    pool.query(
      `UPDATE onchain_${name}._ponder_meta SET value = jsonb_set(value, '{is_ready}', to_jsonb($1::int))`,
      [isReady],
    );
  const buildIds = async () => {
    const id = buildIdSql(sql`c.chain_id`);
    const { text, values } = sql`SELECT c.chain_id, ${id} AS build FROM unnest('{1,2}'::int[]) c(chain_id)`;
    const { rows } = await pool.query(text, values);
    return Object.fromEntries(rows.map(({ chain_id, build }) => [chain_id, build]));
  };

  it("are shown one after another, each ready by itself", async () => {
    await makeBuild("one", 50);
    await show("one", 1, { 2: "two" });
    expect(await chainsShown()).toEqual({ rows: { 1: "one" }, ready: [1] });
    await makeBuild("two", 5, { chains: [2] });
    expect(await show("two", 2, { 1: "one" })).toBe(true);
    expect(await chainsShown()).toEqual({ rows: { 1: "one", 2: "two" }, ready: [1, 2] });
    expect(await buildIds()).toEqual({ 1: "one", 2: "two" });

    await setReady("two", 0);
    expect((await chainsShown()).ready).toEqual([1]);
    expect(await buildIds()).toEqual({ 1: "one", 2: null });
    await setReady("one", 0);
    expect((await chainsShown()).ready).toEqual([]);
    expect(await buildIds()).toEqual({ 1: null, 2: null });
    expect(errors).toEqual([]);
  });

  it("move apart, and none waits for another", async () => {
    await makeBuild("one", 50);
    await makeBuild("two", 50, { chains: [2] });
    await Promise.all([show("one", 1, { 2: "two" }), show("two", 2, { 1: "one" })]);
    await makeBuild("next", 20, { chains: [2] });
    const waiting = show("next", 2, { 1: "later" });
    await makeBuild("later", 50);
    expect(await show("later", 1, { 2: "next" })).toBe(true);
    expect((await chainsShown()).rows).toEqual({ 1: "later", 2: "two" });
    await moveTo("next", 50);
    expect(await waiting).toBe(true);
    expect((await chainsShown()).rows).toEqual({ 1: "later", 2: "next" });
  });

  it.each([
    ["that one schema holds", { chains: [1, 2] }, {}],
    ["whose tables get other columns", { chains: [1] }, { column: "added text" }],
    ["whose columns get other types", { chains: [1], column: "n text" }, { column: "n bigint" }],
  ])("%s move together, once each has reached the views", async (_which, before, after) => {
    await makeBuild("a", 50, before);
    await show("a", 1);
    if (before.chains.length === 1) {
      await makeBuild("b", 50, { ...before, chains: [2] });
      await show("b", 2, { 1: "a" });
    }
    await makeBuild("one", 50, after);
    await makeBuild("two", 20, { ...after, chains: [2] });
    const moves = [show("one", 1, { 2: "two" }), show("two", 2, { 1: "one" })];
    await moveTo("two", 49);
    expect(Object.values((await chainsShown()).rows)).not.toContain("one");
    await moveTo("two", 50);
    // One of them took the other along.
    expect((await Promise.all(moves)).sort()).toEqual([false, true]);
    expect(await chainsShown()).toEqual({ rows: { 1: "one", 2: "two" }, ready: [1, 2] });
    expect(errors).toEqual([]);
  });

  it("wait for none whose old indexer is gone: it is shown again when its new build is ready", async () => {
    await makeBuild("a", 50, { chains: [1, 2] });
    await show("a");
    await makeBuild("one", 20);
    await makeBuild("two", 20, { chains: [2], meta: { is_ready: 0 } });
    // It may only start again, or its database was away.
    await setReady("a", 0);
    await silence("a", 290);
    const moved = show("one", 1, { 2: "two" });
    await expectUnmoved(moved);
    expect((await chainsShown()).rows).toEqual({ 1: "a", 2: "a" });
    await silence("a", 301);
    expect(await moved).toBe(true);
    expect(await chainsShown()).toEqual({ rows: { 1: "one" }, ready: [1] });
    await setReady("two", 1);
    expect(await show("two", 2, { 1: "one" })).toBe(true);
    expect(await chainsShown()).toEqual({ rows: { 1: "one", 2: "two" }, ready: [1, 2] });
  });

  it("are rebuilt where a schema was put aside, and the others stay", async () => {
    await makeBuild("one", 50);
    await makeBuild("two", 50, { chains: [2] });
    await show("one", 1, { 2: "two" });
    await show("two", 2, { 1: "one" });
    await setReady("one", 0);
    await pool.query("ALTER SCHEMA onchain_one RENAME TO onchain_one_aside");
    expect(await chainsShown()).toEqual({ rows: { 1: "one", 2: "two" }, ready: [2] });
    await makeBuild("one", 10, { meta: { build_id: "again" } });
    expect(await show("one", 1, { 2: "two" })).toBe(true);
    expect(await buildIds()).toEqual({ 1: "again", 2: "two" });
    await pool.query("DROP SCHEMA onchain_one_aside CASCADE");
    expect((await chainsShown()).rows).toEqual({ 1: "one", 2: "two" });
  });

  it("each notify on the channel of the views", async () => {
    await makeBuild("one", 50);
    await makeBuild("two", 50, { chains: [2] });
    await show("one", 1, { 2: "two" });
    await show("two", 2, { 1: "one" });
    const heard: string[] = [];
    const listener = await pool.connect();
    listener.on("notification", ({ channel }) => heard.push(channel));
    await listener.query("LISTEN onchain_live_query");
    await moveTo("one", 51);
    await moveTo("two", 51);
    await until("two notifications", () => heard.length === 2 || undefined);
    listener.release(true);
  });
});

it("begins when Ponder says that its rows are true", () => {
  const line = { level: "info" as const, msg: "Started returning 200 responses" };
  expect(isReady({ ...line, fields: { endpoint: "/ready" } })).toBe(true);
  expect(isReady({ ...line, fields: { endpoint: "/health" } })).toBe(false);
});
