import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { z } from "zod";
import { plannedOnce } from "../../src/db/planned-once.ts";
import { createPool } from "../../src/db/pool.ts";
import { queryRows } from "../../src/db/query.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  // One connection: what it has prepared can be asked for.
  pool = createPool(database.url, { max: 1, preparedStatements: true });
  await pool.query(`
    CREATE TABLE item AS
    SELECT n::int AS number, CASE WHEN n % 100 = 0 THEN 'rare' ELSE 'frequent' END AS kind,
      to_timestamp(n) AS made_at, n % 2 = 0 AS is_even, gen_random_uuid() AS id FROM generate_series(1, 20000) n`);
  await pool.query("CREATE INDEX ON item (kind, number)");
  await pool.query("ANALYZE item");
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Returns a statement whose selectivity depends on its value: a custom plan seems cheaper than the generic one. */
const firstOf = (kind: string, limit: number) => sql`
  SELECT t.number FROM item t JOIN item o USING (id) WHERE t.kind = ${kind} ORDER BY t.number LIMIT ${limit}`;

/** Returns how often PostgreSQL planned a statement for its values, and how often it took the plan that it keeps. */
const plansOf = ({ text }: Sql) =>
  queryRows(
    pool,
    sql`SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE statement = ${text}`,
    z.object({ customPlans: z.string(), genericPlans: z.string() }),
  );

const read = (statement: Sql) =>
  queryRows(pool, statement, z.object({ number: z.number(), text: z.string().optional() }));

it("keeps a plan from the sixth time on, where a plan for the values would seem cheaper", async () => {
  const run = async (statement: Sql) => {
    for (let time = 0; time < 10; time++) await read(statement);
    return plansOf(statement);
  };
  const statement = firstOf("rare", 1);
  expect(await run(statement)).toEqual([{ customPlans: "10", genericPlans: "0" }]);
  expect(await run(plannedOnce(statement))).toEqual([{ customPlans: "5", genericPlans: "5" }]);
});

it("finds the same rows, whatever the type of a value", async () => {
  const statement = (numbers: readonly number[], kinds: readonly string[]) => sql`
    SELECT number, ${'a\'s "text"'} AS text FROM item
    WHERE number = ANY(${numbers}) AND kind = ANY(${kinds}) AND number > ${1n} AND made_at < ${new Date(700_000)}
      AND is_even = ${true} AND id <> ${"00000000-0000-0000-0000-000000000000"}::uuid
    ORDER BY number LIMIT ${3} OFFSET ${0}`;
  const given = statement([2, 3, 100, 102, 200, 300, 800], ["rare", "frequent"]);
  const found = await read(plannedOnce(given));
  expect(found).toEqual([2, 100, 102].map((number) => ({ number, text: 'a\'s "text"' })));
  expect(found).toEqual(await read(given));
  expect(await read(plannedOnce(statement([2], [])))).toEqual([]);
  expect(await read(plannedOnce(statement([], ["rare"])))).toEqual([]);
});

it("leaves a statement without values as it is", () => {
  expect(plannedOnce(sql`SELECT 1`).text).toBe("SELECT 1");
});

it.each([null, 1.5, {}])("refuses %j, whose type it cannot tell", (value) => {
  expect(() => plannedOnce(sql`SELECT ${value}`)).toThrow("no type for a value of");
});
