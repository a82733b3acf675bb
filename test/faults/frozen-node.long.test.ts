import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, jest } from "@jest/globals";
import { parseEther } from "viem";
import type { DeploymentsInput } from "../../src/config/deployments.ts";
import { decodeEvents, idOf } from "../contracts/bench.ts";
import { DAY, LATER, router } from "../contracts/calls.ts";
import { present, until } from "../support/assert/until.ts";
import { mine } from "../support/chain/anvil-client.ts";
import { expireHeartbeat, startIndexer, type TestIndexer } from "../support/chain/indexer.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { type Product, send, startProduct } from "../support/chain/product.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnvOf, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { readLog } from "../support/http/event-log.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { type Program, startProgram, urlOf } from "../support/program/program.ts";

// Two chains on one api, worker and indexer, to which a third one is added. The node of the second stops answering, and its
// connections stay open; the indexer is killed meanwhile, and starts again.
jest.setTimeout(600_000);
const FROZEN_MS = 150_000;
const CHAINS = [31337, 31338, 31339];
const [SERVED, FROZEN, ADDED] = [0, 1, 2];
/** An order's event comes within some hundred milliseconds; a wait for the hanging node takes ten seconds. */
const EVENT_MS = 5_000;

let products: Product[];
let node: NodeProxy;
let database: TestDatabase;
const indexers: TestIndexer[] = [];
/** Starts an indexer of some chains. */
let follow: (chainIds: readonly number[]) => TestIndexer;
let env: TestEnv;
let api: TestApi;
let worker: Program;
let workerUrl: string;
let partners: Partner[];

beforeAll(async () => {
  database = await createDatabase();
  products = await Promise.all(CHAINS.map((chainId) => startProduct({ chainId })));
  node = await startNodeProxy(present(products[1], "a product").rpcUrl);
  const rpcUrls = products.map(({ rpcUrl }, index) => [index === 1 ? node.url : rpcUrl]);
  const chains = products.map(({ deployment }, index) =>
    chainOf(deployment, present(rpcUrls[index], "URLs")),
  );
  follow = (chainIds) => {
    const indexed = products.map(({ deployment }, index) => ({
      deployment,
      rpcUrls: present(rpcUrls[index], "URLs"),
    }));
    const indexer = startIndexer(database.url, indexed, chainIds);
    indexers.push(indexer);
    return indexer;
  };
  env = makeEnvOf(database.url, { chains });
  api = await startTestApi(env.env);
  worker = startProgram("src/bin/worker.ts", { ...env.env, SENDER_KEYS: `0x${"11".repeat(32)}` });
  workerUrl = await urlOf(worker);
  const scopes = CHAINS.map((chainId) => ({ chainId, productType: "Sandbox" }));
  const key = await env.makeKey({ scopes });
  partners = CHAINS.map((chainId) => createPartner(api.url, { ...key, chainId, productType: "Sandbox" }));
});
afterAll(async () => {
  worker?.kill("SIGKILL");
  await worker?.exited;
  await Promise.all(indexers.map((indexer) => indexer.kill()));
  await api?.stop();
  await env?.dispose();
  await node?.stop();
  await Promise.all((products ?? []).map(({ stop }) => stop()));
  await database?.drop();
});

type Chain = DeploymentsInput["chains"][number];

function chainOf(deployment: Product["deployment"], rpcUrls: string[]): Chain {
  const { chainId, stockRouter, cashier, stock, oneClickRouter } = deployment;
  const product = {
    productType: "Sandbox",
    startBlock: 0,
    contracts: { stockRouter, cashier, stock, oneClickRouter },
  };
  return { chainId, rpcUrls, confirmations: 1, ephemeral: true, products: [product] };
}

const readiness = async (url: string): Promise<{ status: string; degraded?: string[]; missing?: string[] }> =>
  (await fetch(`${url}/readyz`)).json();
const chainAt = (index: number) => ({
  chainId: present(CHAINS[index], "a chain"),
  partner: present(partners[index], "a partner"),
  product: present(products[index], "a product"),
});
/** Reads what the index does not have: balances are the chain's. Of a new user each time, since reads of a block are kept. */
const balance = (index: number) =>
  chainAt(index).partner.get(`/users/0x${randomBytes(20).toString("hex")}/balance`);
/** Returns the checks of chains that fail, as the api's operator sees them. */
const failing = async (...indexes: number[]) =>
  ((await readiness(api.operatorUrl)).degraded ?? []).filter((name) =>
    indexes.some((index) => name.endsWith(`chain ${chainAt(index).chainId}`)),
  );
const served = (...indexes: number[]) =>
  until(`chains ${indexes} are served`, async () => (await failing(...indexes)).length === 0, 120_000);
const indexMissing = async (indexer: TestIndexer) => (await readiness(await indexer.url())).missing ?? [];

/** Places an order, and waits until its key's log has it, once a block confirms it. */
async function expectEvent(index: number, withinMs = EVENT_MS): Promise<void> {
  const { chainId, partner, product } = chainAt(index);
  const token = present(product.deployment.stockTokens[0], "a stock token").address;
  const data = router("placeLimitOrder", token, parseEther("1"), parseEther("1"), DAY, LATER);
  const user = present(product.users[0], "a user");
  const { transactionHash, logs } = await send(product.client, user, product.deployment.stockRouter, data);
  await mine(product.client, 1);
  const orderId = idOf(decodeEvents(logs), "LimitOrderPlaced");
  await partner.must(partner.post("/orders/tx", { txHash: transactionHash }));
  const isTold = async () =>
    (await readLog(partner)).some((event) => event.data.orderId === orderId && event.data.status === "New");
  await until(`the event of an order on chain ${chainId}`, isTold, withinMs);
}

it("row 84: takes no other chain away, and no program out of service, while one chain's node hangs and an indexer starts", async () => {
  const indexer = follow(CHAINS.slice(0, 2));
  await served(SERVED, FROZEN);
  for (const index of [SERVED, FROZEN]) {
    expect((await balance(index)).status).toBe(200);
    await expectEvent(index, 60_000);
  }

  node.interfere = () => new Promise(() => undefined);
  const frozenUntil = Date.now() + FROZEN_MS;
  await until("the operator sees it", async () => (await failing(FROZEN)).length > 0);
  await expectEvent(SERVED);
  await indexer.kill();
  const pool = createTestPool(database.url, { max: 1 });
  await expireHeartbeat(pool, indexer);
  await pool.end();
  const next = follow(CHAINS.slice(0, 2));
  await until(
    "the other chain is indexed again",
    async () => `${await indexMissing(next)}` === `index of chain ${chainAt(FROZEN).chainId}`,
    30_000,
  );
  await served(SERVED);

  const late = await startTestApi(env.env);
  const refused: unknown[] = [];
  for (let round = 0; Date.now() < frozenUntil || round < 3; round++) {
    for (const { url } of [api, late]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await readiness(workerUrl)).status).toBe("ready");
    expect(await failing(SERVED, FROZEN)).toContain(`chain ${chainAt(FROZEN).chainId}`);
    expect(await failing(SERVED)).toEqual([]);
    // Requests that wait for the node delay no others.
    const waiting = Promise.all(Array.from({ length: 5 }, () => balance(FROZEN)));
    expect((await balance(SERVED)).status).toBe(200);
    await expectEvent(SERVED);
    for (const { status, body } of await waiting)
      refused.push({ status, errCode: body.errCode, retryable: body.retryable });
    if (round === 3) await addChain();
    await sleep(1_000);
  }
  for (const answer of refused)
    expect(answer).toEqual({ status: 503, errCode: "RPC_UNAVAILABLE", retryable: true });
  await late.stop();

  node.interfere = () => "pass";
  await served(SERVED, FROZEN);
  expect((await balance(FROZEN)).status).toBe(200);
  await expectEvent(FROZEN, 60_000);
  await until("all is indexed", async () => (await indexMissing(next)).length === 0);
});

/** Adds a chain by an indexer of its own, while events of another come in time. */
async function addChain(): Promise<void> {
  const { chainId } = chainAt(ADDED);
  expect(await failing(ADDED)).toContain(`indexer of chain ${chainId}`);
  follow([chainId]);
  let isServed = false;
  const added = served(ADDED).then(() => {
    isServed = true;
  });
  while (!isServed) await expectEvent(SERVED);
  await added;
  await expectEvent(ADDED);
}
