import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, jest } from "@jest/globals";
import type { DeploymentsInput } from "../../src/config/deployments.ts";
import { LONG } from "../support/assert/long.ts";
import { present, until } from "../support/assert/until.ts";
import { startIndexer, type TestIndexer } from "../support/chain/indexer.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { type Product, startProduct } from "../support/chain/product.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { makeEnvOf, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { type Program, startProgram, urlOf } from "../support/program/program.ts";

// Two chains on one api, worker and indexer. The node of the second stops answering, and its connections stay open.
jest.setTimeout(600_000);
const FROZEN_MS = LONG ? 150_000 : 25_000;
const CHAINS = [31337, 31338] as const;

let products: Product[];
let node: NodeProxy;
let database: TestDatabase;
let indexer: TestIndexer;
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
  indexer = startIndexer(
    database.url,
    products.map(({ deployment }, index) => ({ deployment, rpcUrls: present(rpcUrls[index], "URLs") })),
  );
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
  await indexer?.kill();
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
  return { chainId, rpcUrls, ephemeral: true, products: [product] };
}

const readiness = async (url: string): Promise<{ status: string; degraded?: string[] }> =>
  (await fetch(`${url}/readyz`)).json();
/** Reads what the index does not have: balances are the chain's. Of a new user each time, since reads of a block are kept. */
const balance = (index: number) =>
  present(partners[index], "a partner").get(`/users/0x${randomBytes(20).toString("hex")}/balance`);
const isServed = async () =>
  !(await readiness(api.operatorUrl)).degraded?.some((name) => name.includes("chain"));

it("row 84: takes no other chain away, and no program out of service, while one chain's node hangs", async () => {
  await until("both chains are served", isServed, 120_000);
  for (const index of [0, 1]) expect((await balance(index)).status).toBe(200);

  node.interfere = () => new Promise(() => undefined);
  const frozenUntil = Date.now() + FROZEN_MS;
  await until("the operator sees it", async () => !(await isServed()));
  const late = await startTestApi(env.env);
  const refused: unknown[] = [];
  for (let round = 0; Date.now() < frozenUntil || round < 3; round++) {
    for (const { url } of [api, late]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await readiness(workerUrl)).status).toBe("ready");
    expect((await readiness(api.operatorUrl)).degraded).toContain(`chain ${CHAINS[1]}`);
    // Requests that wait for the node delay no others.
    const waiting = Promise.all(Array.from({ length: 5 }, () => balance(1)));
    expect((await balance(0)).status).toBe(200);
    for (const { status, body } of await waiting)
      refused.push({ status, errCode: body.errCode, retryable: body.retryable });
    await sleep(1_000);
  }
  for (const answer of refused)
    expect(answer).toEqual({ status: 503, errCode: "RPC_UNAVAILABLE", retryable: true });
  await late.stop();

  node.interfere = () => "pass";
  await until("both chains are served again", isServed, 120_000);
  expect((await balance(1)).status).toBe(200);
});
