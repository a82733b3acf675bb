import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { z } from "zod";
import { execute, queryOne } from "../../src/db/query.ts";
import { join, sql } from "../../src/db/sql.ts";
import { inSnapshot } from "../../src/db/transaction.ts";
import { blockItems, firstDifference } from "../../src/events/writer/ancestor-store.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { SEED, seededRandom } from "../support/assert/seeded-random.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, indexOnchain, type Onchain } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { CHAIN_ID, createRandomChain } from "../support/db/random-chain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";

// The block from which a chain is projected again, after a reorg or a new build of the index.

const OTHER_CHAIN = 31338;
const VERIFIED = 100n;
const PROJECTED = 120n;
const numberSchema = z.object({ number: z.coerce.bigint().nullable() });

let features: Features;
let pool: pg.Pool;
let onchain: Onchain;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  pool = features.deps.pool;
  onchain = await createOnchain(pool);
  await indexOnchain(pool);
});
afterAll(() => features?.close());
beforeEach(() => empty(pool, "app.projected_block", "onchain.event_block"));

/** Runs statements as a step does: all see one state of the database. */
const step = <T>(work: (client: pg.PoolClient) => Promise<T>, through = pool): Promise<T> =>
  inSnapshot(through, work);
const readDifference = async (client: pg.PoolClient, range: { projected: bigint; verified: bigint }) =>
  (await queryOne(client, firstDifference(CHAIN_ID, range), numberSchema)).number;
const difference = (projected = PROJECTED, verified = VERIFIED) =>
  step((client) => readDifference(client, { projected, verified }));
const writeBlocks = (client: pg.PoolClient, chainId: number, range: { to: bigint; verified: bigint }) =>
  execute(client, sql`WITH ${join(blockItems(chainId, range))} SELECT 1`);
const project = (to = PROJECTED, verified = VERIFIED) =>
  step((client) => writeBlocks(client, CHAIN_ID, { to, verified }));

/** Replaces the blocks of the index: numbers, or a number and what its hash is made of. */
async function index(...blocks: (number | [number, number])[]): Promise<void> {
  await pool.query("DELETE FROM onchain.event_block WHERE chain_id = $1", [CHAIN_ID]);
  const rows = blocks.map((block) => (Array.isArray(block) ? block : ([block, block] as const)));
  if (rows.length === 0) return;
  await onchain.insert(
    "eventBlock",
    ...rows.map(([number, hash]) => ({ chainId: CHAIN_ID, number: BigInt(number), hash: hex(32, hash) })),
  );
}

async function projected(chainId = CHAIN_ID): Promise<[number, string][]> {
  const { rows } = await pool.query(
    "SELECT number, hash FROM app.projected_block WHERE chain_id = $1 ORDER BY number",
    [chainId],
  );
  return rows.map(({ number, hash }) => [Number(number), hash]);
}

describe("the first block that index and projection do not share", () => {
  beforeEach(async () => {
    await index(90, 100, 101, 105, 110, 120, 125);
    await project();
  });

  it.each<[string, (number | [number, number])[], bigint | null]>([
    ["is none where they are equal", [90, 100, 101, 105, 110, 120, 125], null],
    ["is the head that a reorg replaced", [101, 105, 110, [120, 1]], 120n],
    ["is the first of several that a reorg replaced", [101, 105, [110, 1], [120, 2]], 110n],
    ["is a block that has no event any more", [101, 110, 120], 105n],
    ["is one without an event now, where a later one has another hash", [101, 105, [120, 1]], 110n],
    ["is a new one at the projected block", [101, 105, 110, 118, 120], 118n],
    ["is a new one before all others", [[101, 1], 105, 110, 120], 101n],
    ["is the first that an index that was set back does not have yet", [90, 100, 101, 105], 110n],
    ["is the first of all where the index has none of them", [90, 100], 101n],
    ["is none where only what is final differs", [[90, 1], [100, 1], 101, 105, 110, 120], null],
    ["is none where only what is not projected differs", [101, 105, 110, 120, [121, 1], [125, 1]], null],
  ])("%s", async (_what, blocks, expected) => {
    await index(...blocks);
    expect(await difference()).toBe(expected);
  });

  it("is none of another chain's", async () => {
    await onchain.insert("eventBlock", { chainId: OTHER_CHAIN, number: 110n, hash: hex(32, 1) });
    expect(await difference()).toBeNull();
    await step((client) => writeBlocks(client, OTHER_CHAIN, { to: PROJECTED, verified: VERIFIED }));
    expect(await difference()).toBeNull();
    await index();
    await project();
    expect(await projected(OTHER_CHAIN)).toEqual([[110, hex(32, 1)]]);
  });

  it("is the first not final one where nothing was remembered yet", async () => {
    await empty(pool, "app.projected_block");
    expect(await difference()).toBe(101n);
  });

  it("is none of those that have become final since", async () => {
    await index([105, 1], 110, 120);
    expect(await difference(PROJECTED, 105n)).toBeNull();
  });
});

describe("writing the projected blocks", () => {
  it("makes them those of the index that are projected and not final", async () => {
    await index(100, 101, 110, 120, 121);
    await project();
    expect(await projected()).toEqual([101, 110, 120].map((number) => [number, hex(32, number)]));
    await index(101, [110, 1], 115, 121);
    await project(122n, 101n);
    expect(await projected()).toEqual([
      [110, hex(32, 1)],
      [115, hex(32, 115)],
      [121, hex(32, 121)],
    ]);
    // The common ancestor is named: nothing behind it was projected.
    await project(114n, 101n);
    expect(await projected()).toEqual([[110, hex(32, 1)]]);
  });

  it("touches differences alone", async () => {
    // A block of another chain does not affect the writes of this one.
    await pool.query("INSERT INTO app.projected_block VALUES ($1, 105, '0x1')", [OTHER_CHAIN]);
    await index(101, 105, 110, 120);
    await project();
    const versions = async () =>
      (await pool.query("SELECT number, xmin FROM app.projected_block ORDER BY chain_id, number")).rows;
    const before = await versions();
    await project();
    expect(await versions()).toEqual(before);
    await index(101, [105, 1], 110, 120, 121);
    await project(121n, 101n);
    const [other, ...rest] = (await versions()).filter(
      ({ number, xmin }) => !before.some((row) => row.number === number && row.xmin === xmin),
    );
    expect([other?.number, ...rest.map(({ number }) => number)]).toEqual(["105", "121"]);
    expect(await projected()).toHaveLength(4);
  });
});

it(`random days with reorgs part where their blocks do (TEST_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const chain = createRandomChain(onchain, random, PRODUCT);
  let known = new Map<number, string>();
  let [at, verified] = [0, 0];
  let reorgs = 0;
  for (let n = 0; n < 150; n++) {
    await (random.chance(0.3) ? chain.reorg() : chain.mine());
    // A projector misses some blocks.
    if (random.chance(0.3)) continue;
    const { rows } = await pool.query("SELECT number, hash FROM onchain.event_block");
    const found = new Map<number, string>(rows.map(({ number, hash }) => [Number(number), hash]));
    const differing = [...known.keys(), ...found.keys()].filter(
      (number) => number > verified && number <= at && known.get(number) !== found.get(number),
    );
    const first = differing.length > 0 ? BigInt(Math.min(...differing)) : null;
    expect(await difference(BigInt(at), BigInt(verified))).toBe(first);
    if (first !== null) reorgs++;
    [known, at, verified] = [found, chain.latest, chain.safe];
    await project(BigInt(at), BigInt(verified));
    const kept = [...found].filter(([number]) => number > verified).sort(([a], [b]) => a - b);
    expect(await projected()).toEqual(kept);
  }
  expect(reorgs).toBeGreaterThan(5);
});

it("what is final is not read, however much of it there is", async () => {
  await pool.query(
    `INSERT INTO onchain.event_block SELECT chain, n, '0x' || encode(sha256(n::text::bytea), 'hex')
     FROM unnest($1::int[]) chain, generate_series(1, 20000) n`,
    [[CHAIN_ID, OTHER_CHAIN]],
  );
  const range = { projected: 20_000n, to: 20_000n, verified: 19_500n };
  await project(range.projected, range.verified);
  await pool.query("ANALYZE onchain.event_block");
  const { deps, statements } = recordStatements(features.deps);
  await step(async (client) => {
    expect(await readDifference(client, range)).toBeNull();
    await writeBlocks(client, CHAIN_ID, { to: 20_000n, verified: 19_501n });
  }, deps.pool);
  expect(statements).toHaveLength(2);
  // Both sides read 500 blocks; a deletion reads them once more.
  expect(await mostRowsRead(pool, statements)).toBeLessThan(2_100);
});
