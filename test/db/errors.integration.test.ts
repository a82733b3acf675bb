import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createPool, createPrisma } from "../../src/db/client.ts";
import { countServerFailures, toDatabaseError } from "../../src/db/errors.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { describeError } from "../../src/telemetry/log.ts";
import { SERVER_CAUSES } from "../../src/telemetry/sql-states.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
/** Takes connections and never answers; takes them and hangs up. */
const servers: Server[] = [];

beforeAll(async () => {
  database = await createDatabase();
  servers.push(
    createServer(() => undefined),
    createServer((socket) => socket.destroy()),
  );
  for (const server of servers) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});

afterAll(async () => {
  for (const server of servers) server.close();
  await database.drop();
});

function urlOf(index: number): string {
  const address = servers[index]?.address();
  if (typeof address !== "object" || !address) throw new Error("the server does not listen");
  return `postgresql://u:p@127.0.0.1:${address.port}/d`;
}

/** Returns the statement's failure, through `pg` and through Prisma. */
async function failuresOf(url: string, statement: string, timeoutMs = 10_000): Promise<unknown[]> {
  const options = { max: 1, queryTimeoutMs: timeoutMs, connectTimeoutMs: timeoutMs };
  const pool = createPool(url, options);
  const prisma = createPrisma(url, options);
  const failures = await Promise.all([
    pool.query(statement).then(
      () => "no failure",
      (error: unknown) => error,
    ),
    prisma.$queryRawUnsafe(statement).then(
      () => "no failure",
      (error: unknown) => error,
    ),
  ]);
  await Promise.allSettled([pool.end(), prisma.$disconnect()]);
  return failures;
}

/** Returns how each failure is classified. */
async function taken(url: string, statement: string, timeoutMs?: number): Promise<(string | null)[]> {
  const failures = await failuresOf(url, statement, timeoutMs);
  return failures.map((failure) => toDatabaseError(failure)?.errCode ?? null);
}

const UNAVAILABLE = ["DATABASE_UNAVAILABLE", "DATABASE_UNAVAILABLE"];

describe("toDatabaseError", () => {
  it.each([
    ["53100", "disk full"],
    ["53200", "out of memory"],
    ["53300", "too many connections"],
    ["53400", "limit of its configuration"],
    ["58030", "input/output error"],
    ["25006", "read only"],
  ] as const)("counts %s as %s, once a failure, and the log says so in words", async (sqlState, cause) => {
    const raised = `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${sqlState}'; END $$`;
    const failures = await failuresOf(database.url, raised);
    expect(failures.map((failure) => describeError(failure).database)).toEqual([cause, cause]);
    const before = countServerFailures().get(cause) ?? Number.NaN;
    const found = failures.map(toDatabaseError);
    expect(found.map((error) => error?.errCode)).toEqual(UNAVAILABLE);
    // What has been classified is passed on as it is.
    for (const error of found) toDatabaseError(error);
    expect(countServerFailures().get(cause)).toBe(before + 2);
    expect([...countServerFailures().keys()]).toEqual(SERVER_CAUSES);
  });

  it("knows a database that is out of reach", async () => {
    expect(await taken("postgresql://u:p@127.0.0.1:1/d", "SELECT 1", 300)).toEqual(UNAVAILABLE);
    expect(await taken("postgresql://u:p@host.invalid:1/d", "SELECT 1", 300)).toEqual(UNAVAILABLE);
    expect(await taken(urlOf(0), "SELECT 1", 300)).toEqual(UNAVAILABLE);
    expect(await taken(urlOf(1), "SELECT 1", 300)).toEqual(UNAVAILABLE);
  });

  it("knows a database that does not let us in", async () => {
    const url = new URL(database.url);
    url.password = "wrong";
    expect(await taken(url.href, "SELECT 1")).toEqual(UNAVAILABLE);
    url.href = database.url;
    for (const name of ["no_such_database", "template0"]) {
      url.pathname = `/${name}`;
      expect({ name, error: await taken(url.href, "SELECT 1") }).toEqual({ name, error: UNAVAILABLE });
    }
  });

  it.each([
    ["too slow", "SELECT pg_sleep(5)"],
    ["cut off", "SELECT pg_terminate_backend(pg_backend_pid())"],
    ["cancelled", "SELECT pg_cancel_backend(pg_backend_pid())"],
    ["given up for a deadlock", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$"],
    ["given up for a concurrent one", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$"],
  ])("knows a statement that was %s", async (what, statement) => {
    expect(await taken(database.url, statement, what === "too slow" ? 300 : 10_000)).toEqual(UNAVAILABLE);
  });

  it("knows a view that the indexer has not made yet", async () => {
    const behind = ["INDEXER_BEHIND", "INDEXER_BEHIND"];
    expect(await taken(database.url, "SELECT * FROM onchain.stock_order")).toEqual(behind);
  });

  it.each([
    ["a missing table of ours", "SELECT * FROM app.nothing"],
    ["a syntax error", "SELEC 1"],
    ["a division by zero", "SELECT 1/0"],
  ])("takes %s for our own mistake", async (_what, statement) => {
    expect({ codes: await taken(database.url, statement) }).toEqual({ codes: [null, null] });
  });

  it("knows an exhausted pool", async () => {
    const pool = createTestPool(database.url, { max: 1 });
    const held = await pool.connect();
    pool.options.connectionTimeoutMillis = 300;
    const failure = await pool.query("SELECT 1").catch((error: unknown) => error);
    expect(toDatabaseError(failure)?.errCode).toBe("DATABASE_UNAVAILABLE");
    held.release();
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it("leaves what is no database error alone, and an ApiError as it is", () => {
    expect(toDatabaseError(new Error("boom"))).toBeNull();
    expect(toDatabaseError("boom")).toBeNull();
    expect(toDatabaseError(undefined)).toBeNull();
    const known = new ApiError("ORDER_NOT_FOUND");
    expect(toDatabaseError(known)).toBe(known);
  });
});
