import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createPrisma } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
const clients: PrismaClient[] = [];

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.$disconnect()));
  await database.drop();
});

/** Connects once, so that pg_prepared_statements shows all statements of the client. */
function connect(preparedStatements: boolean): PrismaClient {
  const client = createPrisma(database.url, { max: 1, preparedStatements });
  clients.push(client);
  return client;
}

async function prepared(client: PrismaClient): Promise<string[]> {
  const rows = await client.$queryRawUnsafe<{ statement: string }[]>(
    "SELECT statement FROM pg_prepared_statements WHERE statement NOT LIKE '%pg_prepared_statements%'",
  );
  return rows.map(({ statement }) => statement);
}

it("prepares each statement once, whatever its values", async () => {
  const client = connect(true);
  for (const value of [1, 2, 3]) {
    expect(await client.$queryRaw`SELECT ${value}::int AS value`).toEqual([{ value }]);
  }
  expect(await client.$queryRaw`SELECT ${null}::int AS value`).toEqual([{ value: null }]);
  expect(await prepared(client)).toEqual(["SELECT $1::int AS value"]);
});

it("prepares nothing where it is told not to", async () => {
  const client = connect(false);
  await client.$queryRaw`SELECT ${1}::int AS value`;
  expect(await prepared(client)).toEqual([]);
});

it("stops preparing before the server's memory fills, and goes on answering", async () => {
  const client = connect(true);
  for (let value = 0; value < 520; value++) await client.$queryRawUnsafe(`SELECT ${value} AS value`);
  expect(await client.$queryRawUnsafe("SELECT 519 AS value")).toEqual([{ value: 519 }]);
  expect(await prepared(client)).toHaveLength(500);
});

it("follows a view that is made anew, as the indexer does", async () => {
  const client = connect(true);
  const read = () => client.$queryRawUnsafe("SELECT value FROM changing ORDER BY value");
  await client.$executeRawUnsafe("CREATE VIEW changing AS SELECT 1 AS value");
  expect(await read()).toEqual([{ value: 1 }]);
  await client.$executeRawUnsafe("DROP VIEW changing");
  await client.$executeRawUnsafe("CREATE VIEW changing AS SELECT 2 AS value, 'more' AS more");
  expect(await read()).toEqual([{ value: 2 }]);
});
