import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { default as pg } from "pg";
import { createOnchain } from "../support/db/onchain.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

// What counts as a change of answers (migration claim_changes).

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 12 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const slots = async (): Promise<number[]> => {
  const { rows } = await pool.query<{ changes: string }>(
    "SELECT changes FROM app.claim_change WHERE chain_id = 1 ORDER BY slot",
  );
  return rows.map(({ changes }) => Number(changes));
};
const sum = async () => (await slots()).reduce((all, one) => all + one, 0);

it("an update of a claim counts unless it changes only what no answer shows", async () => {
  const { rows: columns } = await pool.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = 'app.transaction_claim'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY 1`,
  );
  const { rows: triggers } = await pool.query<{ condition: string }>(
    `SELECT pg_get_triggerdef(oid) AS condition FROM pg_trigger WHERE tgname = 'transaction_claim_count_changed'`,
  );
  const counted = columns.filter(({ name }) =>
    new RegExp(`new\\.${name}\\b`).test(triggers[0]?.condition ?? ""),
  );
  const others = columns.filter((column) => !counted.includes(column));
  // bound_user_address changes with source or created_at, or to what the record went by before.
  const uncounted = ["bound_user_address", "envelope_uuid", "last_seen_at", "next_look_at"];
  expect(others.map(({ name }) => name)).toEqual(uncounted);
});

it("every commit makes the sum larger, and none waits for another", async () => {
  // A slot that all of them see.
  await pool.query("SELECT app.count_change(1)");
  const first = await sum();
  const clients = await Promise.all(Array.from({ length: 8 }, () => pool.connect()));
  try {
    for (const client of clients) {
      await client.query("BEGIN");
      await client.query("SELECT app.count_change(1)");
    }
    expect(await sum()).toBe(first);
    let before = first;
    // The last one to count commits first.
    for (const client of clients.reverse()) {
      await client.query("COMMIT");
      const after = await sum();
      expect(after).toBeGreaterThan(before);
      before = after;
    }
    expect(await slots()).toHaveLength(clients.length);
  } finally {
    for (const client of clients) client.release();
  }
});

it("a transaction counts once, and after a savepoint that is rolled back again", async () => {
  const client = await pool.connect();
  const counted = async () => {
    await client.query("SELECT app.count_change(1)");
    return Number(
      (await client.query("SELECT sum(changes) FROM app.claim_change WHERE chain_id = 1")).rows[0].sum,
    );
  };
  try {
    const before = await sum();
    await client.query("BEGIN");
    await client.query("SAVEPOINT one");
    expect(await counted()).toBeGreaterThan(before);
    await client.query("ROLLBACK TO one");
    const first = await counted();
    expect(first).toBeGreaterThan(before);
    expect(await counted()).toBe(first);
    await client.query("COMMIT");
    expect(await sum()).toBe(first);
    expect(await counted()).toBeGreaterThan(first);
  } finally {
    client.release();
  }
});

it("a change that is rolled back does not count, and its slot is used again", async () => {
  const [before, used] = [await sum(), await slots()];
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT app.count_change(1)");
    await client.query("ROLLBACK");
  } finally {
    client.release();
  }
  expect(await sum()).toBe(before);
  await pool.query("SELECT app.count_change(1)");
  expect(await slots()).toHaveLength(used.length);
});

it("answers of another block or build have another version, and those of an index that is not ready have none", async () => {
  const onchain = await createOnchain(pool);
  await onchain.setBlock(1, { number: 5n, timestamp: 5n });
  const version = async (blockHash: `0x${string}`, meta: object) => {
    await onchain.clear();
    await onchain.insert("lastChange", { chainId: 1, blockHash });
    await pool.query("UPDATE onchain._ponder_meta SET value = $1", [meta]);
    return (await pool.query("SELECT version FROM app.answer_version(1)")).rows[0]?.version ?? null;
  };
  const ready = { is_ready: 1, build_id: "one" };
  expect(await version("0x1", ready)).toBe(`one/0x1/${await sum()}`);
  expect(await version("0x2", ready)).toBe(`one/0x2/${await sum()}`);
  expect(await version("0x2", { ...ready, build_id: "two" })).toBe(`two/0x2/${await sum()}`);
  expect(await version("0x2", { ...ready, is_ready: 0 })).toBeNull();
});
