import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { LONG } from "../support/assert/long.ts";
import { SEED } from "../support/assert/seeded-random.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { compareStores } from "../support/simulation/compare-stores.ts";

/** Rows in memory behave as PostgreSQL's: without that, what the simulation finds, and does not find, means nothing. */

let pool: pg.Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  pool = createTestPool(database.url, { max: 2 });
});
afterAll(async () => {
  await pool?.end();
  await drop?.();
});

/** Sequences, and operations in each: 20,000 in the long form. */
const [SEQUENCES, OPERATIONS] = LONG ? [40, 500] : [6, 100];

describe(`sequences of seed ${SEED}`, () => {
  it.each(Array.from({ length: SEQUENCES }, (_, index) => SEED + index))(
    "%d leave the same rows, and read the same",
    async (seed) => {
      const { operations, difference } = await compareStores(pool, seed, OPERATIONS);
      expect(difference).toBeNull();
      expect(operations).toBe(OPERATIONS);
    },
  );
});
