import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { type AuditFilter, type AuditPosition, countAudit, readAudit } from "../../src/auth/audit.ts";
import { prismaOn } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { insertRows } from "../support/db/builders/rows.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
let pool: pg.Pool;
let prisma: PrismaClient;
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1_000);
/** Each differs from the first in one thing. The last one, of a long transaction, has the time of an earlier one. */
const ENTRIES = [
  { actor: "ada", action: "keys revoke", subject: "k1", createdAt: at(0) },
  { actor: "bob", action: "keys revoke", subject: "k1", createdAt: at(1) },
  { actor: "ada", action: "keys rotate", subject: "k1", createdAt: at(2) },
  { actor: "ada", action: "keys revoke", subject: "k2", createdAt: at(3) },
  { actor: "ada", action: "keys revoke", subject: "k1", createdAt: at(1) },
];
beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 2 });
  prisma = prismaOn(pool);
  await insertRows(
    pool,
    "app.audit_entry",
    ENTRIES.map((entry) => ({ ...entry, detail: "{}" })),
  );
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Returns the entries that are read, as their positions in ENTRIES. */
const read = async (filter: AuditFilter) =>
  (await readAudit(prisma, filter, { limit: 9 })).map(({ auditId }) => Number(auditId) - 1);

it.each<[AuditFilter, number[]]>([
  [{}, [3, 2, 4, 1, 0]],
  [{ actor: "ada" }, [3, 2, 4, 0]],
  [{ login: "postgres", action: "keys rotate" }, [2]],
  [{ login: "nobody" }, []],
  [{ subject: "k2" }, [3]],
  [{ since: at(2) }, [3, 2]],
  [{ before: at(1) }, [0]],
  [{ since: at(1), before: at(2) }, [4, 1]],
])("the audit log is read newest first, and counted, by %j", async (filter, expected) => {
  expect({ filter, read: await read(filter), count: await countAudit(prisma, filter) }).toEqual({
    filter,
    read: expected,
    count: expected.length,
  });
});

it("is read in pages that leave nothing out and repeat nothing", async () => {
  const pages: number[] = [];
  let after: AuditPosition | null = null;
  while (pages.length <= ENTRIES.length) {
    const [row] = await readAudit(prisma, {}, { limit: 1, after });
    if (!row) break;
    pages.push(Number(row.auditId) - 1);
    after = row;
  }
  expect(pages).toEqual([3, 2, 4, 1, 0]);
});
