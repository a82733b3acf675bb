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
  // Not among what viem exports; this is the very code that it sends along.
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
  /** A node that tells of each balance which user it is of. */
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
