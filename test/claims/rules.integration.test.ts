import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { ClaimState } from "../../src/db/generated/enums.ts";
import { operationStatusOf, operationStatusSql } from "../../src/operations/status.ts";
import { type ChainState, statusOf, statusSql } from "../../src/orders/status.ts";
import {
  ACCESS_TYPES,
  CHAIN_OPERATION_STATUSES,
  CHAIN_ORDER_STATUSES,
  DASHBOARD_ROLES,
  MAPPING_SOURCES,
  OPERATION_TYPES,
  ORDER_TYPES,
} from "../../src/protocol/enums.ts";
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

const CLAIMS = Object.values(ClaimState);

it("the status of an order is the same in TypeScript and in SQL, for every combination there is", async () => {
  const chains: (ChainState | null)[] = [
    null,
    ...CHAIN_ORDER_STATUSES.flatMap((status) =>
      ORDER_TYPES.flatMap((type) => [0n, 1n].map((filledQuantity) => ({ status, type, filledQuantity }))),
    ),
  ];
  const cases = CLAIMS.flatMap((claim) => chains.map((chain) => ({ claim, chain })));
  expect(cases).toHaveLength(4 * (1 + 6 * 2 * 2));
  const { rows } = await pool.query<{ status: string }>(
    `SELECT ${statusSql.sql} AS status
     FROM unnest($1::app.claim_state[], $2::text[], $3::text[], $4::text[], $5::numeric[])
       WITH ORDINALITY AS q (state, order_id, status, order_type, filled_quantity, place)
     CROSS JOIN LATERAL (SELECT q.state) c
     CROSS JOIN LATERAL (SELECT q.order_id, q.status, q.order_type, q.filled_quantity) o
     ORDER BY q.place`,
    [
      cases.map(({ claim }) => claim),
      cases.map(({ chain }) => chain && "0x01"),
      cases.map(({ chain }) => chain?.status),
      cases.map(({ chain }) => chain?.type),
      cases.map(({ chain }) => chain && String(chain.filledQuantity)),
    ],
  );
  expect(rows.map(({ status }) => status)).toEqual(
    cases.map(({ chain, claim }) => statusOf(chain, claim).status),
  );
});

it("the status of an operation is the same in TypeScript and in SQL, for every combination there is", async () => {
  const cases = CLAIMS.flatMap((claim) =>
    [null, ...CHAIN_OPERATION_STATUSES].map((chain) => ({ claim, chain })),
  );
  const { rows } = await pool.query<{ status: string }>(
    `SELECT ${operationStatusSql.sql} AS status
     FROM unnest($1::app.claim_state[], $2::text[]) WITH ORDINALITY AS q (state, status, place)
     CROSS JOIN LATERAL (SELECT q.state) c CROSS JOIN LATERAL (SELECT q.status) o
     ORDER BY q.place`,
    [cases.map(({ claim }) => claim), cases.map(({ chain }) => chain)],
  );
  expect(rows.map(({ status }) => status)).toEqual(
    cases.map(({ chain, claim }) => operationStatusOf(chain, claim)),
  );
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
    claim_state: [...CLAIMS].sort(),
    dashboard_role: [...DASHBOARD_ROLES].sort(),
    mapping_source: [...MAPPING_SOURCES].sort(),
    operation_type: [...OPERATION_TYPES].sort(),
  });
});
