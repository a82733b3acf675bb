import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { deploy } from "../../packages/sandbox/src/deploy.ts";
import { start as startWorker } from "../../src/worker.ts";
import { openLog } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import { type Product, startProduct } from "../support/chain/product.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { seedTerms } from "../support/db/seed.ts";
import type { Calldata, Send } from "../support/http/answers.ts";
import { startTestApi, type TestApi } from "../support/http/api.ts";
import { PRODUCT } from "../support/http/features.ts";
import type { Partner } from "../support/http/partner.ts";
import { operate } from "../support/program/command.ts";
import { shellBlocksOf } from "../support/program/markdown.ts";
import { chainClient, minedFrom } from "../support/sender/chain-fixture.ts";
import { createSending, enableUser, marketBuy, type Sending, withKey } from "../support/sender/sending.ts";

// docs/operations/router.md, followed on a chain: the router of a product is paused, and replaced, while requests wait and a partner
// holds calldata.

const [HALT = "", RESUME = ""] = shellBlocksOf("docs/operations/router.md")
  .flatMap((block) => block.split("\n"))
  .flatMap((line) => /^partner-trading-admin (sending .*)$/.exec(line)?.[1] ?? []);
/** Reverts whatever it is called with. */
const PAUSED = "0x60006000fd";
const FEES = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };

let database: TestDatabase;
let product: Product;
let chain: ReturnType<typeof chainClient>;
let sending: Sending;
let api: TestApi;
let partner: Partner;
let worker: { stop(): Promise<void> } | null = null;
const directory = mkdtempSync(join(tmpdir(), "partner-router-"));

beforeAll(async () => {
  [database, product] = await Promise.all([createDatabase(), startProduct({ users: 1 })]);
  chain = chainClient(product.rpcUrl);
  sending = await createSending(database.url, product);
  await seedTerms(await createOnchain(sending.pool), product);
  api = await startTestApi(sending.env);
  await runWorker();
  partner = await enableUser(sending, api.url, user());
}, 120_000);
afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()]);
  await sending?.dispose();
  await Promise.all([database?.drop(), product?.stop()]);
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await stopWorker();
});

const user = () => present(product.users[0], "a user");

async function runWorker(env: NodeJS.ProcessEnv = {}): Promise<void> {
  worker = await startWorker({ ...sending.workerEnv, ...env }, { logTo: openLog("worker") });
}
async function stopWorker(): Promise<void> {
  await worker?.stop();
  worker = null;
}

/** Types a command of the page. */
async function type(command: string): Promise<void> {
  const args = [...command.replace("--chain 1", `--chain ${partner.key.chainId}`).matchAll(/"([^"]*)"|\S+/g)];
  const outcome = await operate(
    args.map(([word, quoted]) => quoted ?? word),
    sending.env,
  );
  expect(outcome).toMatchObject({ code: 0 });
}

/** Accepts a request that waits, because no worker runs. */
async function accept(notional: string): Promise<string> {
  const { requestId, status } = await partner.must(
    partner.post<Send>("/orders/send", marketBuy(sending, notional)),
  );
  expect(status).toBe("accepted");
  return requestId;
}

async function rowOf(requestId: string) {
  const { rows } = await sending.pool.query(
    'SELECT state, outcome, err_code AS "errCode", nonce::int FROM app.send_request WHERE request_id = $1',
    [requestId],
  );
  return rows[0];
}

const ends = (requestId: string) =>
  until("the request has ended", async () => {
    await chain.mine({ blocks: 1 });
    const row = await rowOf(requestId);
    return ["final", "failed", "canceled"].includes(row.state) ? row : undefined;
  });

const calldata = (notional: string) =>
  partner.must(
    partner.post<Calldata>("/orders/calldata", {
      ...marketBuy(sending, notional),
      userAddress: user().address,
    }),
  );

/** Submits calldata from the user's wallet. */
async function submit(data: Hex): Promise<"success" | "reverted"> {
  const { chainId, stockRouter: to } = product.deployment;
  const nonce = await product.client.getTransactionCount({ address: user().address });
  const serializedTransaction = await user().signTransaction({
    ...FEES,
    chainId,
    to,
    data,
    nonce,
    gas: 1_000_000n,
  });
  const hash = await product.client.sendRawTransaction({ serializedTransaction });
  return (await product.client.waitForTransactionReceipt({ hash })).status;
}

const sent = async () => (await minedFrom(chain, present(sending.wallets[0], "a wallet"))).length;

it("while the router is paused, a halt keeps what waits, and calldata works again afterwards", async () => {
  const held = (await calldata("11")).callData as Hex;
  const waiting = await accept("12");
  const before = await sent();
  await type(HALT);
  const { stockRouter } = product.deployment;
  const code = present(await product.client.getCode({ address: stockRouter }), "the router's code");
  await chain.setCode({ address: stockRouter, bytecode: PAUSED });
  await runWorker();

  expect(await submit(held)).toBe("reverted");
  expect(await calldata("13")).toMatchObject({ preflight: { ok: false } });
  const unnamed = await partner.post<Send>("/orders/send", marketBuy(sending, "14"));
  expect(unnamed.body).toMatchObject({ errCode: "CHAIN_REVERT" });
  const named = await partner.post<Send>("/orders/send", marketBuy(sending, "14"), withKey("fourteen"));
  expect(named.body).toMatchObject({ errCode: "OPERATOR_UNAVAILABLE", retryable: true });
  expect(await rowOf(waiting)).toMatchObject({ state: "accepted", nonce: null });

  await chain.setCode({ address: stockRouter, bytecode: code });
  await type(RESUME);
  expect(await ends(waiting)).toMatchObject({ state: "final", outcome: "confirmed" });
  expect(await submit(held)).toBe("success");
  expect(await sent()).toBe(before + 1);
});

it("without a halt, what waits is mined as reverted, or fails unsigned after a while, and new sends are refused", async () => {
  const [young, old] = [await accept("15"), await accept("16")];
  const before = await sent();
  await sending.pool.query(
    "UPDATE app.send_request SET accepted_at = accepted_at - interval '1 minute' WHERE request_id = $1",
    [old],
  );
  const { stockRouter } = product.deployment;
  const code = present(await product.client.getCode({ address: stockRouter }), "the router's code");
  await chain.setCode({ address: stockRouter, bytecode: PAUSED });
  await runWorker();
  expect(await ends(young)).toMatchObject({ state: "final", outcome: "reverted", errCode: "CHAIN_REVERT" });
  expect(await ends(old)).toEqual({ state: "failed", outcome: null, errCode: "CHAIN_REVERT", nonce: null });
  const { body } = await partner.post<Send>("/orders/send", marketBuy(sending, "16"));
  expect(body).toMatchObject({ errCode: "CHAIN_REVERT" });
  await chain.setCode({ address: stockRouter, bytecode: code });
  expect(await sent()).toBe(before + 1);
});

it("beside a new product the old one is sent to; under other addresses what waits fails unsigned", async () => {
  const { deployer, settler, client } = product;
  const next = await deploy(client, { deployer, settler });
  const file = async (name: string, products: object[]) => {
    const { chainId } = product.deployment;
    const chains = [{ chainId, rpcUrls: [product.rpcUrl], confirmations: 3, ephemeral: true, products }];
    writeFileSync(join(directory, name), JSON.stringify({ chains }));
    return { DEPLOYMENTS_FILE: join(directory, name) };
  };
  const entry = (productType: string, deployment: typeof next) => {
    const { startBlock, stockRouter, cashier, stock, oneClickRouter } = deployment;
    return { productType, startBlock, contracts: { stockRouter, cashier, stock, oneClickRouter } };
  };
  const before = await sent();

  const kept = await accept("17");
  const held = (await calldata("18")).callData as Hex;
  await runWorker(
    await file("beside.json", [entry(PRODUCT, product.deployment), entry(`${PRODUCT}2`, next)]),
  );
  expect(await ends(kept)).toMatchObject({ state: "final", outcome: "confirmed" });
  expect(await submit(held)).toBe("success");
  await stopWorker();

  const lost = await accept("19");
  await runWorker(await file("changed.json", [entry(PRODUCT, next)]));
  expect(await ends(lost)).toEqual({ state: "failed", outcome: null, errCode: "INTERNAL", nonce: null });
  expect(await sent()).toBe(before + 1);
});
