import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import {
  differences,
  indexedBlock,
  indexedUpTo,
  startIndexer,
  type TestIndexer,
  tablesOf,
} from "../support/indexer.ts";
import { type Product, startProduct } from "../support/product.ts";
import { until } from "../support/until.ts";
import { createTrader, headOf, mine, tradeInBulk } from "./chain-kit.ts";
import { type Databases, startDatabases } from "./databases.ts";

// FAULTS 53. Two indexers of the same chain are killed with SIGKILL, one in the middle of its backfill, one while it
// follows the chain; both are started again, and must end with the tables of one that was never touched.

const CHAIN = 31337;
/** Some 15,000 events, which Ponder commits 6,000 at a time. */
const ORDERS = 2_500;
const SLOW_MS = 120_000;

let product: Product;
let databases: Databases;
const indexers: TestIndexer[] = [];

beforeAll(async () => {
  [product, databases] = await Promise.all([startProduct(), startDatabases()]);
}, 60_000);

afterAll(async () => {
  await Promise.all(indexers.map((indexer) => indexer.kill()));
  await Promise.all([product?.stop(), databases?.stop()]);
});

/** A database of its own, and what starts an indexer on it. */
async function stage() {
  const { url, pool } = await databases.create();
  const start = () => {
    const indexer = startIndexer(url, [{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }]);
    indexers.push(indexer);
    return indexer;
  };
  return { pool, start };
}

/** How far a build's own schema is, before any view shows it; undefined while it has no rows. */
async function backfilled(pool: pg.Pool, schema: string) {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM ${schema}.stock_order) AS orders,
            (SELECT count(*)::int FROM ${schema}.order_fill) AS fills,
            (SELECT (value ->> 'is_ready')::int FROM ${schema}._ponder_meta) AS ready`,
  );
  const [row] = rows;
  return row && row.orders > 0 ? row : undefined;
}

describe("an indexer that was killed", () => {
  let inBackfill: Record<string, unknown[]>;
  let following: Record<string, unknown[]>;
  let untouched: Record<string, unknown[]>;

  beforeAll(async () => {
    const trader = await createTrader(product);
    await tradeInBulk(product, trader, ORDERS);
    // The last 30 blocks are followed; all of the trading is to be backfilled.
    await mine(product.client, 40);
    const [a, b, c] = [await stage(), await stage(), await stage()];

    const first = a.start();
    const seen = await until("some of the backfill", () => backfilled(a.pool, first.schema), SLOW_MS);
    await first.kill();
    // It was in the middle: some orders are in, not all of them are, and nothing is shown yet.
    const left = await backfilled(a.pool, first.schema);
    expect(seen.ready).toBe(0);
    expect(left).toMatchObject({ ready: 0 });
    expect(left?.orders + left?.fills).toBeLessThan(2 * ORDERS);

    const second = b.start();
    await indexedUpTo(b.pool, second, CHAIN, await headOf(product.client), SLOW_MS);
    const before = (await indexedBlock(b.pool, CHAIN)) ?? 0n;
    const trading = tradeInBulk(product, trader, 400);
    const followed = async () => (((await indexedBlock(b.pool, CHAIN)) ?? 0n) > before ? true : undefined);
    await until("a followed block", followed, SLOW_MS);
    await second.kill();
    await trading;

    const head = await headOf(product.client);
    const all = [a, b, c].map(async ({ pool, start }) => {
      await indexedUpTo(pool, start(), CHAIN, head, SLOW_MS);
      return tablesOf(pool);
    });
    [inBackfill = {}, following = {}, untouched = {}] = await Promise.all(all);
  }, 3 * SLOW_MS);

  it("has all orders and fills", () => {
    expect(untouched.stock_order).toHaveLength(ORDERS + 400);
    expect(untouched.order_fill).toHaveLength(ORDERS + 400);
  });

  it("in the middle of its backfill, ends with the same tables", () => {
    expect(differences(inBackfill, untouched)).toEqual([]);
  });

  it("while it followed the chain, ends with the same tables", () => {
    expect(differences(following, untouched)).toEqual([]);
  });
});
