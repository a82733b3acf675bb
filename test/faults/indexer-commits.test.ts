import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { createTrader, headOf, mine, tradeInBulk } from "../support/chain/anvil-client.ts";
import {
  differences,
  indexedUpTo,
  startIndexer,
  type TestIndexer,
  tablesOf,
} from "../support/chain/indexer.ts";
import { type Product, startProduct } from "../support/chain/product.ts";
import { makeDatabases } from "../support/db/databases.ts";
import { startTcpProxy, type TcpProxy } from "../support/db/tcp-proxy.ts";

// docs/faults.md, row 79: the indexer's connection breaks at a COMMIT, so that it does not know whether its block is in the
// tables. All of them must end with the tables of a build that was not disturbed while it wrote them.

const CHAIN = 31337;
const ORDERS = 20;

interface Stage {
  pool: pg.Pool;
  proxy: TcpProxy;
  start(): TestIndexer;
}

let product: Product;
let trader: Awaited<ReturnType<typeof createTrader>>;
const databases = makeDatabases();
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  product = await startProduct();
  trader = await createTrader(product);
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await Promise.all([product?.stop(), databases.stop()]);
});

/** A database behind a proxy, and what starts an indexer on it. */
async function createStage(): Promise<Stage> {
  const { url, pool } = await databases.create();
  const proxied = new URL(url);
  const proxy = await startTcpProxy(Number(proxied.port));
  proxied.port = String(proxy.port);
  stops.push(proxy.close);
  const start = () => {
    const indexer = startIndexer(proxied.href, [
      { deployment: product.deployment, rpcUrls: [product.rpcUrl] },
    ]);
    stops.unshift(indexer.kill);
    return indexer;
  };
  return { pool, proxy, start };
}

const COMMIT = /Q.{4}commit\0/s;
/** Every order changes balances, each of which is a row of it. */
const WRITES = /(insert into|copy) "\w+"\."activity"/i;

/** Nobody listens there: a connection is accepted by the proxy, and ends before PostgreSQL answers. */
const CLOSED = 1;
const OUTAGE_MS = 1_000;

/**
 * Cuts the connection at the first COMMIT of orders, before PostgreSQL gets it or after that; and in the first case keeps
 * the indexer from connecting again for a moment.
 * @returns how often it cut
 */
function cutAtCommit(proxy: TcpProxy, when: "before" | "after"): () => number {
  let hasWritten = false;
  let cuts = 0;
  const { targetPort } = proxy;
  const outage = (): void => {
    proxy.targetPort = CLOSED;
    proxy.cut();
    setTimeout(() => {
      proxy.targetPort = targetPort;
    }, OUTAGE_MS);
  };
  proxy.cutAfter = (data) => {
    const text = data.toString("latin1");
    hasWritten ||= WRITES.test(text);
    if (!hasWritten || cuts > 0 || !COMMIT.test(text)) return false;
    cuts += 1;
    if (when === "before") outage();
    return when === "after";
  };
  return () => cuts;
}

const caughtUp = async ({ pool }: Stage, indexer: TestIndexer) =>
  indexedUpTo(pool, indexer, CHAIN, await headOf(product.client));

it("row 79: a block whose COMMIT was not answered is in the index once, whether it was committed or not", async () => {
  const stages = { before: await createStage(), after: await createStage() };
  const backfilled = await createStage();
  const following = Object.values(stages).map((stage) => ({ ...stage, indexer: stage.start() }));
  await mine(product.client, 1);
  await Promise.all(following.map((stage) => caughtUp(stage, stage.indexer)));
  const cuts = [cutAtCommit(stages.before.proxy, "before"), cutAtCommit(stages.after.proxy, "after")];
  await tradeInBulk(product, trader, ORDERS);
  // The last 30 blocks are followed; all of the trading is to be backfilled by the next one.
  await mine(product.client, 40);
  await Promise.all(following.map((stage) => caughtUp(stage, stage.indexer)));
  expect(cuts.map((count) => count())).toEqual([1, 1]);

  const inBackfill = cutAtCommit(backfilled.proxy, "before");
  expect(await backfilled.start().exited).toBe(1);
  expect(inBackfill()).toBe(1);
  const again = backfilled.start();
  await mine(product.client, 1);
  await Promise.all([
    caughtUp(backfilled, again),
    ...following.map((stage) => caughtUp(stage, stage.indexer)),
  ]);
  const expected = await tablesOf(backfilled.pool);
  expect(expected.stock_order).toHaveLength(ORDERS);
  for (const { pool } of following) expect(differences(await tablesOf(pool), expected)).toEqual([]);
}, 180_000);
