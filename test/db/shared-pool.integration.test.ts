import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { z } from "zod";
import { createPool, prismaOn } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { execute, queryOne } from "../../src/db/query.ts";
import { sql } from "../../src/db/sql.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { until } from "../support/assert/until.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
let pool: pg.Pool;
let prisma: PrismaClient;

const CONNECTIONS = 2;

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: CONNECTIONS, preparedStatements: true });
  prisma = prismaOn(pool, { connectTimeoutMs: 60_000 });
});
afterAll(async () => {
  await prisma?.$disconnect();
  await pool?.end();
  await database?.drop();
});

const countSchema = z.object({ count: z.number() });
const times = <T>(n: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, index) => run(index)));

it("Prisma and SQL share the connections of one pool, and the names of its statements", async () => {
  await times(10, (n) => execute(pool, sql`SELECT ${n}::int`));
  await times(10, () => prisma.auditEntry.count());
  expect(pool.totalCount).toBeLessThanOrEqual(CONNECTIONS);
  const { rows } = await pool.query<{ name: string }>("SELECT name FROM pg_prepared_statements");
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(0);
});

it("more transactions than connections, of both, wait for each other and all end", async () => {
  const action = "shared pool";
  const entry = { actor: "test", action, subject: "a", detail: {} };
  const byPrisma = times(8, () =>
    prisma.$transaction(async (tx) => {
      await tx.auditEntry.create({ data: entry });
      await tx.$queryRaw`SELECT pg_sleep(0.01)::text`;
      return tx.auditEntry.count({ where: { action } });
    }),
  );
  const bySql = times(8, () =>
    inTransaction(pool, async (tx) => {
      await execute(tx, sql`SELECT pg_sleep(0.01)`);
      await execute(
        tx,
        sql`INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES ('test', ${action}, 'a', '{}')`,
      );
    }),
  );
  const alone = times(16, () => execute(pool, sql`SELECT pg_sleep(0.001)`));
  await Promise.all([byPrisma, bySql, alone]);
  const statement = sql`SELECT count(*)::int AS count FROM app.audit_entry WHERE action = ${action}`;
  expect(await queryOne(pool, statement, countSchema)).toEqual({ count: 16 });
  expect(pool.waitingCount).toBe(0);
});

it("SQL that finds every connection in a transaction of Prisma waits, and runs when one ends", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let open = 0;
  const held = times(CONNECTIONS, () =>
    prisma.$transaction(
      async (tx) => {
        await tx.auditEntry.count();
        open += 1;
        if (open === CONNECTIONS) waiting = execute(pool, sql`SELECT 1`);
        await released;
      },
      { timeout: 60_000 },
    ),
  );
  let waiting: Promise<number> = Promise.resolve(0);
  while (pool.waitingCount === 0) await new Promise((resolve) => setImmediate(resolve));
  release();
  await held;
  expect(await waiting).toBe(1);
});

it("a connection that Prisma gives back within a transaction serves nobody else", async () => {
  const impatient = createPool(database.url, { max: 1, queryTimeoutMs: 1_000 });
  const client = prismaOn(impatient);
  const action = "left open";
  const entry = { actor: "test", action, subject: "a", detail: {} };
  // The statement outlasts its time, and so does the ROLLBACK that waits for it.
  await expect(client.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(3)::text`)).rejects.toThrow();
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3)%' AND pid <> pg_backend_pid()",
  );
  await until("the statement has ended", async () => {
    const still = await pool.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active'", [
      rows[0]?.pid,
    ]);
    return still.rows.length === 0;
  });
  await until("an entry is written", () => client.auditEntry.create({ data: entry }).catch(() => false));
  expect(await prisma.auditEntry.count({ where: { action } })).toBeGreaterThan(0);
  await client.$disconnect();
  await impatient.end();
});
