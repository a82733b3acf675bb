import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { z } from "zod";
import { parseCheckpoint, readAtBlock } from "../../src/db/checkpoint.ts";
import { readCheckpoints } from "../../src/db/checkpoint-watch.ts";
import { sql } from "../../src/db/sql.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 2 });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Encodes a checkpoint like Ponder: timestamp, chain id, block number, transaction index, event type, event index. */
function encode(timestamp: bigint, chainId: number, number: bigint): string {
  const padded = [
    [timestamp, 10],
    [chainId, 16],
    [number, 16],
    [9, 16],
    [5, 1],
    [9, 16],
  ] as const;
  return padded.map(([value, length]) => String(value).padStart(length, "0")).join("");
}

const ANY_ROW = z.object({ amount: z.string(), big: z.string(), name: z.string() }).partial();

const readIndexedBlock = async (chainId: number) =>
  (await readAtBlock(pool, chainId, sql`SELECT 1 AS one`, ANY_ROW)).block;

const behind = { errCode: "INDEXER_BEHIND" };

describe("before the indexer has made its views", () => {
  it("whatever asks for them is told that the indexer is behind", async () => {
    await expect(readIndexedBlock(31337)).rejects.toMatchObject(behind);
    await pool.query("CREATE SCHEMA onchain");
    await expect(readIndexedBlock(31337)).rejects.toMatchObject(behind);
    await expect(
      readAtBlock(pool, 31337, sql`SELECT * FROM onchain.stock_order`, ANY_ROW),
    ).rejects.toMatchObject(behind);
  });
});

describe("with a checkpoint", () => {
  beforeAll(async () => {
    await pool.query(`CREATE SCHEMA IF NOT EXISTS onchain;
      CREATE TABLE onchain.checkpoint_of_a_build (chain_name text PRIMARY KEY, chain_id bigint NOT NULL,
        safe_checkpoint varchar(75), latest_checkpoint varchar(75) NOT NULL, finalized_checkpoint varchar(75));
      CREATE VIEW onchain._ponder_checkpoint AS SELECT * FROM onchain.checkpoint_of_a_build;
      CREATE TABLE onchain._ponder_meta (key text PRIMARY KEY, value jsonb NOT NULL);
      INSERT INTO onchain._ponder_meta VALUES ('app', '{"is_ready": 1}')`);
    await pool.query(
      "INSERT INTO onchain.checkpoint_of_a_build (chain_name, chain_id, latest_checkpoint) VALUES ('a', 31337, $1), ('b', 31338, $2)",
      [encode(1_795_226_400n, 31337, 9_007_199_254_740_993n), encode(0n, 31338, 0n)],
    );
  });

  it("tells the block, exactly", async () => {
    const block = { number: 9_007_199_254_740_993n, timestamp: 1_795_226_400n };
    expect(await readIndexedBlock(31337)).toEqual(block);
  });

  it("is behind on a chain that it does not know, or has only started with", async () => {
    await expect(readIndexedBlock(1)).rejects.toMatchObject(behind);
    await expect(readIndexedBlock(31338)).rejects.toMatchObject(behind);
    expect(() => parseCheckpoint(null)).toThrow(expect.objectContaining(behind));
  });

  it("is behind while an indexer that started again takes back what was not final", async () => {
    const setReady = (ready: number) =>
      pool.query(
        "UPDATE onchain._ponder_meta SET value = jsonb_set(value, '{is_ready}', to_jsonb($1::int))",
        [ready],
      );
    await setReady(0);
    await expect(readIndexedBlock(31337)).rejects.toMatchObject(behind);
    expect(await readCheckpoints(pool)).toEqual(new Map());
    await setReady(1);
    expect({ chainIds: [...(await readCheckpoints(pool)).keys()] }).toEqual({ chainIds: [31337] });
  });

  it("reads rows beside it, in their order, and none where there are none", async () => {
    const numbers = sql`SELECT n::numeric(78,0) AS amount, n::bigint AS big, 'x' AS name
      FROM generate_series(1, 5) AS n ORDER BY n DESC LIMIT 3`;
    const { block, data } = await readAtBlock(pool, 31337, numbers, ANY_ROW);
    expect(block.number).toBe(9_007_199_254_740_993n);
    expect(data).toEqual([
      { amount: "5", big: "5", name: "x" },
      { amount: "4", big: "4", name: "x" },
      { amount: "3", big: "3", name: "x" },
    ]);
    expect((await readAtBlock(pool, 31337, sql`SELECT 1 AS one WHERE false`, ANY_ROW)).data).toEqual([]);
  });

  it("leaves mistakes in the statement what they are", async () => {
    await expect(readAtBlock(pool, 31337, sql`SELECT * FROM app.nothing`, ANY_ROW)).rejects.not.toMatchObject(
      behind,
    );
  });
});

describe("parseCheckpoint", () => {
  it.each([
    ["too short", "1"],
    ["too long", `${encode(1n, 1, 1n)}0`],
    ["not digits", encode(1n, 1, 1n).replace(/0/g, "x")],
  ])("takes nothing that is %s", (_what, text) => {
    expect(() => parseCheckpoint(text)).toThrow("not a checkpoint");
  });
});
