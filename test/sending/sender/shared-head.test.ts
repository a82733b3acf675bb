import { afterEach, expect, it, jest } from "@jest/globals";
import { createNodes, type Node } from "../../../src/sending/sender/nodes.ts";
import { shareHead } from "../../../src/sending/sender/shared-head.ts";
import { present } from "../../support/assert/until.ts";
import { createFakeChain, DOWN, type FakeChain } from "../../support/chain/fake-chain.ts";

// The head of a chain that several wallets share.

const chains: FakeChain[] = [];
let nowMs = 1_000;
afterEach(() => {
  jest.restoreAllMocks();
  for (const chain of chains.splice(0)) chain.close();
});

function sharing(everyMs: number, nodeCount = 1) {
  jest.spyOn(performance, "now").mockImplementation(() => nowMs);
  const chain = createFakeChain({ nodes: nodeCount });
  chains.push(chain);
  const { chainId, urls } = chain;
  const nodes = createNodes({ chainId, rpcUrls: urls, confirmations: 3, timeoutMs: 5_000, compareMs: 1e12 });
  return { chain, nodes, urls, shared: shareHead(nodes, everyMs) };
}

it("is asked for once in its time, and once for all who ask meanwhile", async () => {
  const { chain, shared } = sharing(100);
  const [first, second] = await Promise.all([shared.open(), shared.open()]);
  expect(second).toBe(first);
  nowMs += 99;
  expect(await shared.open()).toBe(first);
  expect(chain.requests).toBe(1);
  chain.head += 1n;
  nowMs += 1;
  const next = await shared.open();
  expect(next.head.number).toBe(first.head.number + 1n);
  expect(chain.requests).toBe(2);
});

it("is the same node while it stays the same", async () => {
  const { chain, shared } = sharing(0);
  const first = await shared.open();
  expect(await shared.open()).toBe(first);
  expect(chain.requests).toBe(2);
  chain.reorg(chain.head);
  expect(await shared.open()).not.toBe(first);
});

it("is asked for again after a failure", async () => {
  const { chain, shared } = sharing(1e9);
  chain.intercept = () => DOWN;
  await expect(shared.open()).rejects.toThrow("no node of chain");
  chain.intercept = () => undefined;
  await shared.open();
});

it("is another node's once its own is left out", async () => {
  const { urls, shared } = sharing(1e9, 2);
  const first = await shared.open();
  await shared.compare();
  shared.avoid(first.url, 60_000);
  expect((await shared.open()).url).toBe(urls[1]);
});

it("is not asked for once more where a call fails that was begun before another one", async () => {
  const { chain, nodes } = sharing(1e9);
  const node = await nodes.open();
  let fail: (error: Error) => void = () => undefined;
  const first = new Promise<Node>((_resolve, reject) => {
    fail = reject;
  });
  const opened = [first, Promise.resolve(node)];
  const shared = shareHead({ ...nodes, open: async () => present(opened.shift(), "a node to open") }, 1e9);
  const failing = shared.open();
  shared.avoid(chain.urls[0] ?? "", 0);
  expect(await shared.open()).toBe(node);
  fail(new Error("late"));
  await expect(failing).rejects.toThrow("late");
  expect(await shared.open()).toBe(node);
});
