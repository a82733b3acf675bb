import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { encodeFunctionData, erc20Abi, type Hex, parseEther } from "viem";
import { type Chain, createChains } from "../../src/chain/clients.ts";
import type { ViewCall } from "../../src/chain/reads.ts";
import { readSnapshot } from "../../src/chain/snapshot.ts";
import { readWallet } from "../../src/chain/wallet.ts";
import { cashTokenAbi, stockTokenAbi } from "../../src/contracts/abi/index.ts";
import type { IndexedBlock } from "../../src/db/checkpoint.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { type Product, send, startProduct } from "../support/chain/product.ts";
import { lower } from "../support/http/features.ts";

// Reads at the indexed block: one request for all, shared, and never of two blocks at once.

let product: Product;
let proxy: NodeProxy;
let user: Hex;
let token: Hex;
let chain: Chain;

beforeAll(async () => {
  product = await startProduct({ users: 1 });
  proxy = await startNodeProxy(product.rpcUrl);
  user = lower(product.users[0]?.address ?? "");
  token = product.deployment.cashTokens[0]?.address ?? "0x";
});

afterAll(async () => {
  await proxy?.stop();
  await product?.stop();
});

beforeEach(() => {
  proxy.methods.length = 0;
  proxy.interfere = () => "pass";
  chain = chainOver([proxy.url]);
});

function chainOver(rpcUrls: string[], multicall3: Hex | null = null): Chain {
  const config = {
    chainId: 31337,
    rpcUrls,
    confirmations: 1,
    wsUrls: [],
    pollingIntervalMs: 100,
    ephemeral: true,
    products: [],
  };
  const made = createChains({ chains: [{ ...config, multicall3 }] }).get(31337);
  if (!made) throw new Error("no chain");
  return made;
}

async function head(): Promise<IndexedBlock> {
  const { number, timestamp } = await product.client.getBlock();
  return { number, timestamp };
}

/** Moves a token away from the user, in a block of its own. */
async function spend(amount: bigint): Promise<void> {
  const [from] = product.users;
  if (!from) throw new Error("no user");
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [product.settler.address, amount],
  });
  await send(product.client, from, token, data);
}

const balanceOf = (address: Hex): ViewCall => ({
  address,
  abi: erc20Abi,
  functionName: "balanceOf",
  args: [user],
});
const balanceAt = ({ number }: IndexedBlock) =>
  product.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [user],
    blockNumber: number,
  });
const calls = () => proxy.methods.filter((method) => method === "eth_call").length;

describe("at an indexed block", () => {
  it("reads all tokens and allowances in one request, as they were at that block", async () => {
    const block = await head();
    const before = await balanceAt(block);
    await spend(7n);
    const tokens = [...product.deployment.cashTokens, ...product.deployment.stockTokens].map(
      ({ address }) => address,
    );
    const spender = product.deployment.stockRouter;
    const wallet = await readWallet(chain.reads, block, { user, spender, tokens });
    expect(wallet?.blockNumber).toBe(block.number);
    expect(wallet?.tokens.size).toBe(tokens.length);
    expect(wallet?.tokens.get(token)?.balance).toBe(before);
    const empty = [...(wallet?.tokens ?? [])].filter(
      ([, { balance, allowance }]) => !(balance > 0n && (allowance ?? 0n) > 0n),
    );
    expect(empty).toEqual([]);
    expect(proxy.methods).toEqual(["eth_call"]);
  });

  it("asks the node once for all requests of a block, also for those at the same time", async () => {
    const block = await head();
    const question = { user, spender: null, tokens: [token] };
    const [first, second] = await Promise.all([
      readWallet(chain.reads, block, question),
      readWallet(chain.reads, block, question),
    ]);
    expect(first).toEqual(second);
    expect(await readWallet(chain.reads, block, question)).toEqual(first);
    expect(calls()).toBe(1);
    await chain.reads.at(block, [balanceOf(token), { ...balanceOf(token), args: [product.settler.address] }]);
    expect(calls()).toBe(2);
  });

  it("tells of a call that reverts without losing the others", async () => {
    const answers = await chain.reads.at(await head(), [
      balanceOf(token),
      { address: token, abi: stockTokenAbi, functionName: "multiplier" },
    ]);
    expect(answers?.results).toEqual([expect.any(BigInt), null]);
  });

  it("splits what one request cannot hold", async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      ...balanceOf(token),
      args: [`0x${index.toString(16).padStart(40, "0")}`],
    }));
    const answers = await chain.reads.at(await head(), many);
    expect(answers?.results).toHaveLength(300);
    expect(calls()).toBe(3);
  });

  it("answers null where the node's block is another one than was indexed, and reads again when asked again", async () => {
    const block = await head();
    const other = { ...block, timestamp: block.timestamp + 1n };
    expect(await chain.reads.at(other, [balanceOf(token)])).toBeNull();
    expect(await chain.reads.at(other, [balanceOf(token)])).toBeNull();
    expect(calls()).toBe(2);
  });

  it("reads at the latest block where the node has no state of that one, and says so", async () => {
    const block = await head();
    await spend(3n);
    const latest = await head();
    proxy.interfere = (method, params) =>
      method === "eth_call" && params[1] !== "latest"
        ? { code: -32000, message: "missing trie node 5f3a (path 02) state 0x1 is not available" }
        : "pass";
    const answers = await chain.reads.at(block, [balanceOf(token)]);
    expect(answers).toEqual({ results: [await balanceAt(latest)], blockNumber: latest.number });
    const asked = calls();
    expect((await chain.reads.at(block, [balanceOf(token)]))?.blockNumber).toBe(latest.number);
    // The node is not asked for that state again.
    expect(calls()).toBe(asked + 1);
  });

  it("does so with a real node that does not know the block yet", async () => {
    const { number, timestamp } = await head();
    const ahead = { number: number + 1000n, timestamp };
    expect((await chain.reads.at(ahead, [balanceOf(token)]))?.blockNumber).toBe(number);
  });
});

describe("when a node fails", () => {
  it("is RPC_UNAVAILABLE, and the next request asks again", async () => {
    const block = await head();
    proxy.interfere = () => "cut";
    await expectRefusal(chain.reads.at(block, [balanceOf(token)]), "RPC_UNAVAILABLE");
    await expectRefusal(chain.reads.latest([balanceOf(token)]), "RPC_UNAVAILABLE");
    await expectRefusal(chain.tokens.metadata([token]), "RPC_UNAVAILABLE");
    proxy.interfere = () => "pass";
    expect((await chain.reads.at(block, [balanceOf(token)]))?.results).toEqual([await balanceAt(block)]);
  });

  it("goes on with the next RPC URL", async () => {
    proxy.interfere = () => "cut";
    const two = chainOver([proxy.url, product.rpcUrl]);
    const block = await head();
    expect((await two.reads.at(block, [balanceOf(token)]))?.results).toEqual([await balanceAt(block)]);
    expect(proxy.methods.length).toBeGreaterThan(0);
  });
});

describe("through a deployed Multicall3", () => {
  it("reads the same, and the block of it", async () => {
    // A contract with its interface: the code that deployless reads send along, deployed once.
    const path = new URL("../../node_modules/viem/_esm/constants/contracts.js", import.meta.url).href;
    const { multicall3Bytecode }: { multicall3Bytecode: Hex } = await import(path);
    const hash = await product.client.request({
      method: "eth_sendTransaction" as never,
      params: [{ from: product.deployer.address, data: multicall3Bytecode, gas: "0x2dc6c0" }] as never,
    });
    const { contractAddress } = await product.client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error("Multicall3 was not deployed");
    const block = await head();
    const through = chainOver([proxy.url], contractAddress);
    expect(await through.reads.at(block, [balanceOf(token)])).toEqual(
      await chain.reads.at(block, [balanceOf(token)]),
    );
    expect(await through.reads.at({ ...block, timestamp: 1n }, [balanceOf(token)])).toBeNull();
  });
});

describe("token metadata", () => {
  it("is asked once per token", async () => {
    const tokens = [...product.deployment.cashTokens, ...product.deployment.stockTokens];
    const addresses = tokens.map(({ address }) => address);
    const metadata = await chain.tokens.metadata(addresses);
    for (const { address, symbol, decimals } of tokens) {
      const name = await product.client.readContract({ address, abi: erc20Abi, functionName: "name" });
      expect(metadata.get(address)).toEqual({ symbol, name, decimals });
    }
    await chain.tokens.metadata(addresses);
    expect(calls()).toBe(1);
  });
});

describe("readSnapshot", () => {
  it("reads rows and chain again when a reorg came between, and takes the pair that fits", async () => {
    const block = await head();
    const stale = { ...block, timestamp: block.timestamp + 9n };
    const blocks = [stale, block];
    const read = await readSnapshot(
      async () => ({ block: blocks.shift() ?? block, data: blocks.length }),
      (at) => readWallet(chain.reads, at, { user, spender: null, tokens: [token] }),
    );
    expect(read.block).toEqual(block);
    expect(read.data.rows).toBe(0);
    expect(read.data.chain.tokens.get(token)?.balance).toBe(await balanceAt(block));
  });

  it("is INDEXER_BEHIND where they do not come together", async () => {
    const block = { ...(await head()), timestamp: 1n };
    const read = readSnapshot(
      async () => ({ block, data: null }),
      (at) => readWallet(chain.reads, at, { user, spender: null, tokens: [token] }),
    );
    await expectRefusal(read, "INDEXER_BEHIND");
  });
});

it("reads what a mint did in the very block of it", async () => {
  const data = encodeFunctionData({ abi: cashTokenAbi, functionName: "mint", args: [user, parseEther("1")] });
  const before = await head();
  await send(product.client, product.deployer, token, data);
  const after = await head();
  const [first, second] = await Promise.all([
    chain.reads.at(before, [balanceOf(token)]),
    chain.reads.at(after, [balanceOf(token)]),
  ]);
  expect(BigInt(String(second?.results[0])) - BigInt(String(first?.results[0]))).toBe(parseEther("1"));
});
