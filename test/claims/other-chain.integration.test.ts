import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Hex, parseEther } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { LATER, router } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { type ClaimedChain, startClaimedChain } from "../support/chain/claimed-chain.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { account, type Product, send, startProduct } from "../support/chain/product.ts";

// POST .../tx with a transaction of another chain that the installation serves. That one has two nodes, and a third chain one.

let second: Product;
let nodes: NodeProxy[];
let chain: ClaimedChain;
let mine: Caller;
/** A transaction of the second chain. */
let elsewhere: Hex;

beforeAll(async () => {
  second = await startProduct({ chainId: 31338 });
  nodes = await Promise.all(Array.from({ length: 3 }, () => startNodeProxy(second.rpcUrl)));
  const [first = "", other = "", third = ""] = nodes.map(({ url }) => url);
  const { deployment } = second;
  chain = await startClaimedChain([
    { deployment, rpcUrls: [first, other] },
    { deployment: { ...deployment, chainId: 31339 }, rpcUrls: [third] },
  ]);
  mine = await chain.features.makeCaller();
  const usdc = present(deployment.cashTokens[0], "a cash token").address;
  const { transactionHash } = await send(
    second.client,
    account(2),
    deployment.stockRouter,
    router("deposit", usdc, 5_000_000n),
  );
  elsewhere = transactionHash;
});
afterAll(async () => {
  await chain?.stop();
  await Promise.all((nodes ?? []).map((node) => node.stop()));
  await second?.stop();
});
beforeEach(async () => {
  await chain.clear();
  for (const node of nodes) {
    node.methods.length = 0;
    node.interfere = () => "pass";
  }
  // The third chain has no such transaction.
  third().interfere = () => ({ result: null });
});

const first = () => present(nodes[0], "a node");
const third = () => present(nodes[2], "a node");
const hang = () => new Promise<never>(() => undefined);
const recorded = async () =>
  (await chain.features.deps.pool.query("SELECT 1 FROM app.transaction_claim")).rowCount;
const expectNamed = async () => {
  const error = await expectRefusal(chain.record(mine, elsewhere), "TRANSACTION_NOT_FOUND", "txHash");
  expect(error.message).toBe(
    "The transaction is on chain 31338, and not on chain 31337, which x-api-chain-id names",
  );
  expect(error.retryable).toBe(false);
  expect(await recorded()).toBe(0);
};

describe("a transaction of another chain", () => {
  it("is not found, and the answer names that chain; nothing is recorded", expectNamed);

  it.each<[string, () => unknown]>([
    ["does not answer", hang],
    ["fails", () => "cut"],
    ["does not know it", () => ({ result: null })],
  ])(
    "is found by one node where another %s, and a chain that does not answer keeps nobody",
    async (_what, how) => {
      first().interfere = how as NodeProxy["interfere"];
      third().interfere = hang;
      await expectNamed();
    },
  );

  it("is recorded where its nodes fail: they are ignored", async () => {
    for (const node of nodes) node.interfere = () => "cut";
    expect((await chain.record(mine, elsewhere)).data).toMatchObject({ mappingStatus: "pending" });
  });

  it("is recorded where they do not answer within a second", async () => {
    for (const node of nodes) node.interfere = hang;
    const begun = performance.now();
    expect((await chain.record(mine, elsewhere)).data).toMatchObject({ mappingStatus: "pending" });
    // A node is given up after much longer.
    expect(performance.now() - begun).toBeLessThan(4_000);
  });
});

describe("the nodes of other chains", () => {
  const asked = () => nodes.map(({ methods }) => methods.length);

  it("are asked for what no node of the key's chain knows, each once", async () => {
    await chain.record(mine, hex(32, 0xab));
    expect({ callsPerNode: asked() }).toEqual({ callsPerNode: [1, 1, 1] });
    expect(new Set(nodes.flatMap(({ methods }) => methods))).toEqual(new Set(["eth_getTransactionByHash"]));
  });

  it("are not asked for what a node knows, mined or not, nor for what the key has recorded", async () => {
    const call = router("placeMarketOrder", chain.aapl, parseEther("10"), LATER);
    const { transactionHash } = await chain.submit(chain.ann, call);
    await chain.record(mine, transactionHash);
    await chain.unmined(async () => {
      const { hash, bytes } = await chain.signed(chain.ann, call);
      await chain.product.client.sendRawTransaction({ serializedTransaction: bytes });
      await chain.record(mine, hash);
    });
    expect({ callsPerNode: asked() }).toEqual({ callsPerNode: [0, 0, 0] });
    await chain.record(mine, hex(32, 0xab));
    await chain.record(mine, hex(32, 0xab));
    expect({ callsPerNode: asked() }).toEqual({ callsPerNode: [1, 1, 1] });
  });
});
