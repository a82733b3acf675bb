import { afterAll, expect, it } from "@jest/globals";
import { type RpcProxy, type Rule, startRpcProxy } from "../../../test/support/chain/rpc-proxy.ts";
import { uniqueHash } from "../../../test/support/db/builders/unique.ts";
import { openHistory } from "../src/reconcile/receipts.ts";

// Answers of several nodes about a transaction, where they disagree.

const nodes: RpcProxy[] = [];
afterAll(() => Promise.all(nodes.map((node) => node.close())));

const hash = uniqueHash();
const other = uniqueHash();
const receipt = {
  transactionHash: hash,
  blockHash: other,
  blockNumber: "0x5",
  status: "0x1",
  logs: [],
  from: "0xABCDEF0000000000000000000000000000000000",
  to: null,
  contractAddress: null,
};
const block = (transactions: string[]) => ({ number: "0x5", hash: other, timestamp: "0x64", transactions });

/** Returns nodes of chain 1, each with its answers by method; a node without an answer fails. */
async function history(...answers: Record<string, unknown>[]) {
  const urls = await Promise.all(
    answers.map(async (known) => {
      const node = await startRpcProxy("http://127.0.0.1:1");
      const all: Record<string, unknown> = { eth_chainId: "0x1", ...known };
      const rule: Rule = ({ method }) =>
        method in all ? { result: all[method] } : { error: { code: -32_000, message: "not now" } };
      node.rule = rule;
      nodes.push(node);
      return node.url;
    }),
  );
  const config = { chainId: 1, rpcUrls: urls, wsUrls: [], confirmations: 1, pollingIntervalMs: 100 };
  return openHistory({ ...config, ephemeral: true, multicall3: null, products: [] });
}

const none = { eth_getTransactionReceipt: null, eth_getTransactionByHash: null };
const ask = async (at: bigint | null, ...answers: Record<string, unknown>[]) =>
  (await (await history(...answers)).evidenceOf([{ hash, block: at }]))[0];

it("takes the receipt of any node, with addresses in lower case", async () => {
  expect(await ask(null, none, {}, { eth_getTransactionReceipt: receipt })).toMatchObject({
    state: "mined",
    reverted: false,
    blockNumber: 5n,
    blockHash: other,
    from: "0xabcdef0000000000000000000000000000000000",
  });
});

it.each([
  ["every node has neither receipt nor transaction", "none", null, [none, none]],
  ["a node that may have it does not answer", "unknown", null, [none, {}]],
  ["the first node, which may have it, does not answer", "unknown", null, [{}, none]],
  [
    "a node does not say whether its pool has it",
    "unknown",
    null,
    [none, { eth_getTransactionReceipt: null }],
  ],
  [
    "a node has it in its pool",
    "waiting",
    null,
    [none, { ...none, eth_getTransactionByHash: { blockNumber: null } }],
  ],
  ["its receipt is pruned", "unknown", null, [{ ...none, eth_getTransactionByHash: { blockNumber: "0x5" } }]],
  ["its block has it", "unknown", 5n, [{ ...none, eth_getBlockByNumber: block([hash]) }]],
  ["its block does not have it", "none", 5n, [{ ...none, eth_getBlockByNumber: block([other]) }]],
  ["its block is pruned", "unknown", 5n, [{ ...none, eth_getBlockByNumber: null }]],
  [
    "what a node answers is no receipt",
    "unknown",
    null,
    [none, { ...none, eth_getTransactionReceipt: { blockNumber: 5 } }],
  ],
] as const)("where %s, it is %s", async (_case, state, at, answers) => {
  expect(await ask(at, ...answers)).toEqual({ state });
});

it("has the evidence of each transaction in the order in which they were asked for, and none of none", async () => {
  const [mined, missing] = [hash, uniqueHash()];
  const asked: unknown[] = [];
  const urls = await Promise.all(
    [{ ...receipt, status: "0x0" }, null].map(async (found) => {
      const node = await startRpcProxy("http://127.0.0.1:1");
      nodes.push(node);
      node.rule = ({ method, params }) => {
        if (method === "eth_chainId") return { result: "0x1" };
        const of = Array.isArray(params) ? params[0] : undefined;
        asked.push([found === null ? "second" : "first", method, of]);
        return { result: method === "eth_getTransactionReceipt" && of === mined ? found : null };
      };
      return node.url;
    }),
  );
  const config = { chainId: 1, rpcUrls: urls, wsUrls: [], confirmations: 1, pollingIntervalMs: 100 };
  const { evidenceOf } = await openHistory({ ...config, ephemeral: true, multicall3: null, products: [] });
  const queries = [missing, mined].map((one) => ({ hash: one, block: null }));
  expect(await evidenceOf(queries)).toMatchObject([{ state: "none" }, { state: "mined", reverted: true }]);
  // The second node is asked for what the first one lacks.
  expect(asked).not.toContainEqual(["second", "eth_getTransactionReceipt", mined]);
  expect(asked).toContainEqual(["second", "eth_getTransactionReceipt", missing]);
  expect(await evidenceOf([])).toEqual([]);
});

it("takes no silent node for one of another chain", async () => {
  const node = await startRpcProxy("http://127.0.0.1:1");
  nodes.push(node);
  node.rule = ({ method }) => ({ result: method === "eth_chainId" ? "0x1" : null });
  const rpcUrls = ["http://127.0.0.1:1", node.url];
  const config = { chainId: 1, rpcUrls, wsUrls: [], confirmations: 1, pollingIntervalMs: 100 };
  const { evidenceOf } = await openHistory({ ...config, ephemeral: true, multicall3: null, products: [] });
  expect(await evidenceOf([{ hash, block: null }])).toEqual([{ state: "unknown" }]);
});

it("has the head and blocks of the first node that has them, by their number", async () => {
  const found = { number: 5n, hash: other, timestamp: 100n, transactions: [hash] };
  const node = await startRpcProxy("http://127.0.0.1:1");
  nodes.push(node);
  node.rule = ({ method, params }) => {
    if (method === "eth_chainId") return { result: "0x1" };
    const isAsked = ["latest", "0x5"].some(
      (number) => JSON.stringify([number, false]) === JSON.stringify(params),
    );
    return { result: isAsked ? block([hash]) : null };
  };
  const rpcUrls = ["http://127.0.0.1:1", node.url];
  const config = { chainId: 1, rpcUrls, wsUrls: [], confirmations: 1, pollingIntervalMs: 100 };
  const { head, blocks } = await openHistory({ ...config, ephemeral: true, multicall3: null, products: [] });
  expect(await head()).toEqual(found);
  expect(await blocks(new Set([5n]))).toEqual(new Map([[5n, found]]));
  expect(await blocks(new Set())).toEqual(new Map());
  const without = await history({ eth_getBlockByNumber: null });
  await expect(without.head()).rejects.toThrow("no node of chain 1 has a block");
  expect(await without.blocks(new Set([5n]))).toEqual(new Map());
});

it("does not take silence for an answer, nor another chain for this one", async () => {
  await expect(ask(null, {}, {})).rejects.toThrow("no node of chain 1 answers");
  await expect(history(none, { eth_chainId: "0x2" })).rejects.toThrow(
    "node 2 of chain 1 in the deployments file serves chain 2",
  );
});
