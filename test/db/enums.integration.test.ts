import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { ClaimState } from "../../src/db/generated/enums.ts";
import { ACCESS_TYPES, DASHBOARD_ROLES, MAPPING_SOURCES, OPERATION_TYPES } from "../../src/protocol/enums.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it("the words of PostgreSQL's enums are those of the code", async () => {
  const { rows } = await pool.query<{ name: string; words: string[] }>(
    `SELECT t.typname AS name, array_agg(e.enumlabel::text ORDER BY e.enumsortorder) AS words
     FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
     WHERE t.typnamespace = 'app'::regnamespace GROUP BY t.typname`,
  );
  const words = Object.fromEntries(rows.map((row) => [row.name, row.words.sort()]));
  expect(words).toEqual({
    access: [...ACCESS_TYPES].sort(),
    claim_state: Object.values(ClaimState).sort(),
    dashboard_role: [...DASHBOARD_ROLES].sort(),
    mapping_source: [...MAPPING_SOURCES].sort(),
    operation_type: [...OPERATION_TYPES].sort(),
  });
});
