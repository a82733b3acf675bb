import { describe, expect, it } from "@jest/globals";
import { erc20Abi, getContractAddress, type Hex, type PublicClient, zeroHash } from "viem";
import {
  createBlockReads,
  DEPLOYLESS_MULTICALL,
  DEPLOYLESS_SENDER,
  type ViewCall,
} from "../../src/chain/reads.ts";
import { hex } from "../support/assert/sample.ts";

it("names the address at which viem's code stands in a deployless read", async () => {
  // viem does not export it; this is exactly the code that it sends along.
  const path = new URL("../../node_modules/viem/_esm/constants/contracts.js", import.meta.url).href;
  const { multicall3Bytecode }: { multicall3Bytecode: Hex } = await import(path);
  const from = getContractAddress({ from: DEPLOYLESS_SENDER, nonce: 0n });
  const address = getContractAddress({
    opcode: "CREATE2",
    from,
    salt: zeroHash,
    bytecode: multicall3Bytecode,
  });
  expect(address.toLowerCase()).toBe(DEPLOYLESS_MULTICALL);
});

describe("the answers of a block", () => {
  const block = { number: 7n, timestamp: 1_700_000_000n };
  const KEPT = 10_000;
  /** Returns a node that records the user of each balance read. */
  const nodeOf = (asked: number[]) =>
    ({
      multicall: async ({ contracts }: { contracts: ViewCall[] }) => {
        asked.push(contracts.length - 2);
        return contracts.map(({ functionName, args }) => ({
          status: "success",
          result:
            functionName === "getCurrentBlockTimestamp" ? block.timestamp : BigInt(String(args?.[0] ?? 7)),
        }));
      },
    }) as unknown as PublicClient;
  const balances = (from: number, count: number): ViewCall[] =>
    Array.from({ length: count }, (_, index) => ({
      address: hex(20, 1),
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [hex(20, from + index)],
    }));

  it("are kept up to a number: the least recently used go, and are read again where they are asked for", async () => {
    const asked: number[] = [];
    const reads = createBlockReads(nodeOf(asked), hex(20, 9));
    const repeat = async (from: number) => {
      asked.length = 0;
      expect((await reads.at(block, balances(from, 1)))?.results).toEqual([BigInt(from)]);
      return asked.length;
    };
    for (let from = 1; from <= KEPT; from += 100) await reads.at(block, balances(from, 100));
    expect(await repeat(1)).toBe(0);
    await reads.at(block, balances(KEPT + 1, 100));
    expect(await repeat(1)).toBe(0);
    expect(await repeat(2)).toBe(1);
    expect(await repeat(KEPT + 100)).toBe(0);
    expect(await repeat(200)).toBe(0);
  });

  it("come whole to one who asks for more than are kept", async () => {
    const reads = createBlockReads(nodeOf([]), hex(20, 9));
    const all = await reads.at(block, balances(1, KEPT + 200));
    expect(all?.results.at(0)).toBe(1n);
    expect(all?.results).toHaveLength(KEPT + 200);
    expect(all?.results).not.toContain(null);
  });
});

describe("reads at the latest block", () => {
  const call = (user: number): ViewCall => ({
    address: hex(20, 1),
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [hex(20, user)],
  });
  /** Returns a node whose n-th request is at block n, and which answers each balance with the number of its user. */
  function countingNode(fails: (request: number) => boolean = () => false) {
    const requests: number[][] = [];
    const multicall = async ({ contracts }: { contracts: ViewCall[] }) => {
      const users = contracts.slice(2).map(({ args }) => Number(args?.[0]));
      requests.push(users);
      const block = requests.length;
      await new Promise((resolve) => setImmediate(resolve));
      if (fails(block)) throw new Error("down");
      return [block, block, ...users].map((value) => ({ status: "success", result: BigInt(value) }));
    };
    return { requests, reads: createBlockReads({ multicall } as unknown as PublicClient, hex(20, 9)) };
  }

  it("that begin together are one request, each different call once", async () => {
    const { requests, reads } = countingNode();
    const answers = await Promise.all([
      reads.latest([call(5), call(6)]),
      reads.latest([call(6)]),
      reads.latest([call(7), call(5)]),
    ]);
    expect(answers.map(({ results }) => results)).toEqual([[5n, 6n], [6n], [7n, 5n]]);
    expect({ blockNumbers: answers.map(({ blockNumber }) => blockNumber) }).toEqual({
      blockNumbers: [1n, 1n, 1n],
    });
    expect(requests).toEqual([[5, 6, 7]]);
  });

  it("join no request that has begun", async () => {
    const { reads } = countingNode();
    const first = reads.latest([call(5)]);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const second = reads.latest([call(5)]);
    expect({ first: (await first).blockNumber, second: (await second).blockNumber }).toEqual({
      first: 1n,
      second: 2n,
    });
  });

  it("are several requests where they are too many for one", async () => {
    const { requests, reads } = countingNode();
    const callsOf = (from: number) => Array.from({ length: 50 }, (_, index) => call(from + index));
    const answers = await Promise.all([100, 200, 300].map((from) => reads.latest(callsOf(from))));
    expect({ usersPerRequest: requests.map((users) => users.length) }).toEqual({
      usersPerRequest: [100, 50],
    });
    expect({ lastResults: answers.map(({ results }) => results[49]) }).toEqual({
      lastResults: [149n, 249n, 349n],
    });
  });

  it("that fail do so for those who asked, and for nobody after them", async () => {
    const { reads } = countingNode((request) => request === 1);
    const failed = await Promise.allSettled([reads.latest([call(5)]), reads.latest([call(6)])]);
    expect(failed).toMatchObject([
      { status: "rejected", reason: { errCode: "RPC_UNAVAILABLE" } },
      { status: "rejected", reason: { errCode: "RPC_UNAVAILABLE" } },
    ]);
    expect({ results: (await reads.latest([call(5)])).results }).toEqual({ results: [5n] });
  });
});
