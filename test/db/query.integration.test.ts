import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { z } from "zod";
import { createPool } from "../../src/db/pool.ts";
import { execute, queryMaybeOne, queryOne, queryRows } from "../../src/db/query.ts";
import { raw, sql } from "../../src/db/sql.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { createTestPool, PATIENT } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 2 });
  await execute(
    pool,
    sql`CREATE TABLE item (item_id int PRIMARY KEY, amount_wad numeric, made_at timestamptz)`,
  );
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const numberSchema = z.object({ n: z.number() });

it("returns rows in camelCase, as the schema makes them", async () => {
  const rowSchema = z.object({
    itemId: z.number(),
    amountWad: z.coerce.bigint(),
    share: z.string(),
    isNew: z.boolean(),
    madeAt: z.date(),
    data: z.object({ snake_case: z.number() }),
    alreadyCamel: z.null(),
  });
  const statement = sql`
    SELECT n AS item_id, 9007199254740993 AS amount_wad, 0.${raw("1")}::numeric(3, 2) AS share, n = ${2} AS is_new,
      ${new Date(5)}::timestamptz AS made_at, json_build_object('snake_case', n) AS data, NULL AS "alreadyCamel", 'x' AS unnamed
    FROM unnest(${[1, 2]}::int[]) n ORDER BY n`;
  const row = { amountWad: 9007199254740993n, share: "0.10", madeAt: new Date(5), alreadyCamel: null };
  expect(await queryRows(pool, statement, rowSchema)).toEqual([
    { ...row, itemId: 1, isNew: false, data: { snake_case: 1 } },
    { ...row, itemId: 2, isNew: true, data: { snake_case: 2 } },
  ]);
});

it("refuses a row that the schema does not describe, by the name of its column", async () => {
  const schema = z.object({ itemId: z.number() });
  await expect(queryRows(pool, sql`SELECT 'x' AS item_id`, schema)).rejects.toThrow("itemId");
});

it("returns one row, or none", async () => {
  const none = sql`SELECT 1 AS n WHERE false`;
  expect(await queryRows(pool, none, numberSchema)).toEqual([]);
  expect(await queryMaybeOne(pool, none, numberSchema)).toBeNull();
  await expect(queryOne(pool, none, numberSchema)).rejects.toThrow("no row");
  for (const query of [queryMaybeOne, queryOne])
    expect(await query(pool, sql`SELECT ${3}::int AS n`, numberSchema)).toEqual({ n: 3 });
});

it("runs on the connection of a transaction, and counts the rows that were written", async () => {
  const insert = sql`INSERT INTO item (item_id) SELECT generate_series(1, ${3})`;
  const count = sql`SELECT count(*)::int AS n FROM item`;
  const failed = inTransaction(pool, async (tx) => {
    expect(await execute(tx, insert)).toBe(3);
    expect(await queryOne(tx, count, numberSchema)).toEqual({ n: 3 });
    throw new Error("rolled back");
  });
  await expect(failed).rejects.toThrow("rolled back");
  expect(await queryOne(pool, count, numberSchema)).toEqual({ n: 0 });
});

it("says what a failure means, and leaves other errors as they are", async () => {
  const missing = execute(pool, sql`SELECT 1 FROM onchain.stock_order`);
  await expect(missing).rejects.toMatchObject({ errCode: "INDEXER_BEHIND" });
  const slow = createPool(database.url, { ...PATIENT, max: 1, queryTimeoutMs: 50 });
  const late = queryRows(slow, sql`SELECT pg_sleep(60)`, numberSchema);
  await expect(late).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
  await slow.end();
  await execute(pool, sql`INSERT INTO item (item_id) VALUES (${100})`);
  const twice = execute(pool, sql`INSERT INTO item (item_id) VALUES (${100})`);
  await expect(twice).rejects.toMatchObject({ code: "23505", constraint: "item_pkey" });
});

describe("prepared statements", () => {
  const preparedSchema = z.object({ statement: z.string() });
  const preparedOn = async (client: pg.Pool | pg.PoolClient) => {
    const { rows } = await client.query("SELECT statement FROM pg_prepared_statements ORDER BY statement");
    return rows.map((row) => preparedSchema.parse(row).statement);
  };

  it.each([true, false])("are those of a pool that may prepare them: %s", async (preparedStatements) => {
    const own = createTestPool(database.url, { max: 1, preparedStatements });
    for (const n of [1, 2]) await queryOne(own, sql`SELECT ${n}::int AS n`, numberSchema);
    await inTransaction(own, async (tx) => {
      await queryOne(tx, sql`SELECT ${3}::int AS n`, numberSchema);
      await execute(tx, sql`SELECT ${4}::int AS m`);
      const texts = ["SELECT $1::int AS m", "SELECT $1::int AS n"];
      expect(await preparedOn(tx)).toEqual(preparedStatements ? texts : []);
    });
    await own.end();
  });

  it("are as many as the memory of the server takes, and others go on", async () => {
    const own = createTestPool(database.url, { max: 1, preparedStatements: true });
    for (let n = 0; n < 520; n++) await queryOne(own, sql`SELECT ${raw(String(n))} AS n`, numberSchema);
    expect(await queryOne(own, sql`SELECT 519 AS n`, numberSchema)).toEqual({ n: 519 });
    expect(await preparedOn(own)).toHaveLength(500);
    await own.end();
  });
});
