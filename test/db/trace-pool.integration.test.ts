import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type pg from "pg";
import { tracePool } from "../../src/db/trace-pool.ts";
import { inSpan } from "../../src/telemetry/tracing.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { type RecordedSpan, recordSpans } from "../telemetry/recording.ts";

let database: TestDatabase;
let pool: pg.Pool;
let spans: RecordedSpan[];
let stop: () => void;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());
beforeEach(() => {
  ({ spans, stop } = recordSpans());
  // One connection: statements wait for each other.
  pool = createTestPool(database.url, { max: 1 });
  tracePool(pool);
});
afterEach(async () => {
  stop();
  await pool.end();
});

const inRoot = <T>(name: string, work: () => Promise<T>) => inSpan(name, { parent: "root" }, work);

it("a statement belongs to who asked for it, also where it waits for the connection of another", async () => {
  await Promise.all(
    ["first", "second", "third"].map((name) => inRoot(name, () => pool.query("SELECT pg_sleep(0.01)"))),
  );
  const statements = spans.filter(({ name }) => name === "SELECT");
  expect(statements.map(({ parent, ended }) => `${parent} ${ended}`)).toEqual([
    "first true",
    "second true",
    "third true",
  ]);
});

it("one of a transaction does too, and one outside of any trace has no span", async () => {
  await pool.query("SELECT 1");
  await inRoot("root", async () => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query({ text: "SELECT $1::text AS canary", values: ["canary"] });
    await client.query("COMMIT");
    client.release();
  });
  expect(spans.map(({ name, parent }) => `${parent} ${name}`)).toEqual([
    "root root",
    "root BEGIN",
    "root SELECT",
    "root COMMIT",
  ]);
});

it("one that fails is named by its SQLSTATE, and none of its values is in a span", async () => {
  await expect(inRoot("root", () => pool.query("SELECT $1::int", ["canary"]))).rejects.toThrow("canary");
  expect(spans.at(-1)).toMatchObject({ name: "SELECT", error: "22P02", ended: true });
  expect(JSON.stringify(spans)).not.toContain("canary");
});
