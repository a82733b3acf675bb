import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { parseEther } from "viem";
import { decodeEvents } from "../contracts/bench.ts";
import { router } from "../contracts/calls.ts";
import { present, until } from "../support/assert/until.ts";
import { headOf, mine, reorg } from "../support/chain/anvil-client.ts";
import {
  differences,
  indexedBlock,
  indexedUpTo,
  startIndexer,
  type TestIndexer,
  tablesOf,
} from "../support/chain/indexer.ts";
import { type Interference, type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { allLogs, type Product, send, startProduct } from "../support/chain/product.ts";
import { makeDatabases } from "../support/db/databases.ts";
import { startTcpProxy, type TcpProxy } from "../support/db/tcp-proxy.ts";

// docs/faults.md, row 55. A node that is behind, that lacks logs, or that is gone: nothing is taken back, nothing is
// missed.

const SLOW_MS = 120_000;
const CHAIN = 31337;
const FOLLOWED = "a node announces new blocks";

let product: Product;
let proxy: NodeProxy;
/** A proxy of the node's WebSockets. */
let sockets: TcpProxy;
const databases = makeDatabases();
let database: { url: string; pool: pg.Pool };
let indexer: TestIndexer;

beforeAll(async () => {
  product = await startProduct();
  await mine(product.client, 40);
  proxy = await startNodeProxy(product.rpcUrl);
  database = await databases.create();
  sockets = await startTcpProxy(Number(new URL(product.rpcUrl).port));
  const rpcUrls = [proxy.url, `ws://127.0.0.1:${sockets.port}`];
  indexer = startIndexer(database.url, [{ deployment: product.deployment, rpcUrls, ephemeral: false }]);
  await caughtUp();
}, 2 * SLOW_MS);

beforeEach(() => {
  proxy.interfere = () => "pass";
});

afterAll(async () => {
  await indexer?.kill();
  await Promise.all([product?.stop(), proxy?.stop(), sockets?.close(), databases.stop()]);
});

async function caughtUp(): Promise<void> {
  await indexedUpTo(database.pool, indexer, CHAIN, await headOf(product.client), SLOW_MS);
}

/** Deposits, which changes a row in every table of balances. */
async function deposit(): Promise<void> {
  const { client, deployment, users } = product;
  const token = present(deployment.stockTokens[0], "a stock token").address;
  await send(
    client,
    present(users[0], "a user"),
    deployment.stockRouter,
    router("depositStock", token, parseEther("1")),
  );
}

/** Returns a block with its transactions, as the indexer requests heads. */
const blockAt = (number: bigint) =>
  product.client.transport.request({
    method: "eth_getBlockByNumber",
    params: [`0x${number.toString(16)}`, true],
  });

const isLatest = (method: string, params: unknown[]) =>
  method === "eth_getBlockByNumber" && params[0] === "latest";

describe("a node", () => {
  it(
    "that falls behind takes nothing back",
    async () => {
      await deposit();
      await mine(product.client, 3);
      await caughtUp();
      const before = await tablesOf(database.pool);
      const head = await headOf(product.client);
      const stale = { result: await blockAt(head - 8n) };
      let told = 0;
      proxy.interfere = (method, params) => {
        if (!isLatest(method, params)) return "pass";
        told += 1;
        return stale;
      };
      await until("ten stale heads", () => (told >= 10 ? true : undefined), SLOW_MS);
      expect(differences(await tablesOf(database.pool), before)).toEqual([]);
      expect(await indexedBlock(database.pool, CHAIN)).toBe(head);
      expect(indexer.lines.filter(({ msg }) => `${msg}`.startsWith("Reorged"))).toEqual([]);
      expect(indexer.lines).toContainEqual(
        expect.objectContaining({ level: "warn", msg: `a node is behind: its head is ${head - 8n}` }),
      );

      // It catches up, and so does the indexer.
      proxy.interfere = () => "pass";
      await deposit();
      await caughtUp();
    },
    SLOW_MS,
  );

  it(
    "that gives no logs of a block that has some is asked until it does",
    async () => {
      let denied = 0;
      proxy.interfere = (method) => {
        if (method !== "eth_getLogs" || denied >= 5) return "pass";
        denied += 1;
        return { result: [] };
      };
      await deposit();
      await caughtUp();
      expect(denied).toBe(5);
    },
    SLOW_MS,
  );

  it(
    "that is gone for a while, or answers nonsense, is waited for",
    async () => {
      let failed = 0;
      proxy.interfere = () => {
        failed += 1;
        return failed % 2 === 0 ? "cut" : { code: -32603, message: "header not found" };
      };
      await deposit();
      await until("ten failures", () => (failed >= 10 ? true : undefined), SLOW_MS);
      proxy.interfere = () => "pass";
      await caughtUp();
    },
    SLOW_MS,
  );

  it(
    "whose block is taken back while its logs are asked for is asked for them once",
    async () => {
      const asked: string[] = [];
      let deposited: Promise<void> = Promise.resolve();
      proxy.interfere = async (method, params): Promise<Interference> => {
        const { blockHash } = present(params[0], "a parameter") as { blockHash?: string };
        if (method !== "eth_getLogs" || blockHash === undefined) return "pass";
        asked.push(blockHash);
        if (asked.length > 1) return "pass";
        // Its receipt goes with its block: it is taken back once the sender has read it.
        await deposited;
        await reorg(product.client, 1);
        return "pass";
      };
      deposited = deposit();
      await deposited;
      await until("the block is taken back", () => (asked.length > 0 ? true : undefined), SLOW_MS);
      await mine(product.client, 1);
      await caughtUp();
      // Ponder's own nine attempts last a minute, in which nothing is indexed.
      expect(asked.filter((hash) => hash === asked[0])).toHaveLength(1);
    },
    SLOW_MS,
  );

  it(
    "whose socket is cut is polled meanwhile, and followed again",
    async () => {
      const changes = () =>
        indexer.lines.map(({ msg }) => `${msg}`).filter((msg) => msg.startsWith(FOLLOWED));
      const followed = (count: number) =>
        until("announcements", async () => {
          await mine(product.client, 1);
          return changes().length === count || undefined;
        });
      await followed(1);
      sockets.cut();
      await deposit();
      await caughtUp();
      await followed(3);
      expect(changes()).toEqual([FOLLOWED, `${FOLLOWED} no more: polling goes on`, FOLLOWED]);
      await deposit();
      await caughtUp();
    },
    SLOW_MS,
  );
});

describe("several nodes", () => {
  it(
    "stand in for one that is down from the start, and for one that lacks the last blocks: the tables made from scratch are those that were followed through all of that",
    async () => {
      const head = await headOf(product.client);
      // It tells the right head, as one of many nodes behind a URL may, but has no block and no logs of the last 35:
      // taken at its word, the backfill would end there.
      const lagging = await startNodeProxy(product.rpcUrl);
      lagging.interfere = (method, params) => {
        if (method === "eth_getLogs") return { result: [] };
        if (method !== "eth_getBlockByNumber" || isLatest(method, params)) return "pass";
        return BigInt(`${params[0]}`) > head - 35n ? { result: null } : "pass";
      };
      const { url, pool } = await databases.create();
      const rpcUrls = ["http://127.0.0.1:9", lagging.url, product.rpcUrl];
      const other = startIndexer(url, [{ deployment: product.deployment, rpcUrls, ephemeral: false }]);
      try {
        await indexedUpTo(pool, other, CHAIN, head, SLOW_MS);
        const followed = await tablesOf(database.pool);
        expect(differences(await tablesOf(pool), followed)).toEqual([]);
        const deposits = decodeEvents(await allLogs(product)).filter(({ name }) => name === "StockDeposited");
        expect(deposits.length).toBeGreaterThanOrEqual(4);
        expect(followed.stock_operation).toHaveLength(deposits.length);
      } finally {
        await other.stop();
        await lagging.stop();
      }
    },
    SLOW_MS,
  );
});
