import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { ROOT } from "../../src/config/root.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createRoles, ROLES } from "../../src/db/roles.ts";
import { openPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";

// docs/operations/personal-data.md is held against the database.

const page = readFileSync(`${ROOT}docs/operations/personal-data.md`, "utf8");
const statement = readFileSync(`${ROOT}docs/operations/personal-data.sql`, "utf8");

let database: TestDatabase;
let env: TestEnv;
let operator: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  await createRoles(database.url);
  await migrate(database.url, { info: () => undefined });
  env = makeEnv(database.url, "http://127.0.0.1:1");
  operator = openPool({ connectionString: database.url, options: `-c role=${ROLES.operator}`, max: 1 });
});
afterAll(async () => {
  await operator?.end();
  await env?.dispose();
  await database?.drop();
});

/** Columns that name a person, or what one sent. Addresses of wallets that send, of contracts and of tokens are none. */
const PERSONAL =
  /^(.*user_address|cidr|call_data|signed_bytes|input_hash|idempotency_.*|client_order_.*|actor|login|requested_by|confirmed_by|url)$/;

it("names every table of app that has personal data", async () => {
  const { rows } = await env.pool.query<{ table: string; column: string }>(
    `SELECT DISTINCT c.relname AS table, a.attname AS column FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  const found = rows.filter(({ column }) => PERSONAL.test(column));
  expect(found.length).toBeGreaterThan(15);
  const isNamed = ({ table }: { table: string }) => page.includes(`\`app.${table}\``);
  // A halt's actor is an operator's, and in the audit log, too.
  expect(found.filter((one) => !isNamed(one) && one.table !== "sending_halt")).toEqual([]);
});

it("tells an operator what is kept of a user", async () => {
  const address = `0x${"7".repeat(40)}`;
  const ask = async () => {
    const { rows } = await operator.query(statement.replaceAll(":'address'", `'${address.toUpperCase()}'`));
    return rows.filter(({ rows: count }) => count !== "0").map(({ table, rows: count }) => [table, count]);
  };
  expect(await ask()).toEqual([]);
  await env.makeKey({ userAddress: address });
  expect(await ask()).toEqual([["api_key", "1"]]);
});
