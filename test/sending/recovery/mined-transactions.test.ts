import { expect, it } from "@jest/globals";
import { type Hex, keccak256, parseTransaction, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { RpcAnswer, RpcCall } from "../../../src/chain/rpc.ts";
import { findMinedTransactions } from "../../../src/sending/recovery/mined-transactions.ts";
import type { Node } from "../../../src/sending/sender/nodes.ts";

// A chain of signed transactions, one of the wallet in each block, as a node returns its blocks.

const wallet = privateKeyToAccount(toHex(7, { size: 32 }));
const other = privateKeyToAccount(toHex(8, { size: 32 }));
const TO: Hex = `0x${"b".repeat(40)}`;
const WALLET = wallet.address.toLowerCase() as Hex;

async function transaction(account: typeof wallet, nonce: number) {
  const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const;
  const signed = await account.signTransaction({
    type: "eip1559",
    chainId: 1,
    to: TO,
    data: "0x01",
    gas: 30_000n,
    value: 0n,
    nonce,
    ...fees,
  });
  const { r, s, yParity, v: _v, ...rest } = parseTransaction(signed);
  const hex = (value: bigint | number | undefined) => toHex(value ?? 0);
  return {
    hash: keccak256(signed),
    from: account.address,
    to: TO,
    input: rest.data,
    type: "0x2",
    nonce: hex(nonce),
    gas: hex(rest.gas),
    value: "0x0",
    chainId: "0x1",
    accessList: [],
    maxFeePerGas: "0x2",
    maxPriorityFeePerGas: "0x1",
    r,
    s,
    yParity: hex(yParity),
    v: hex(yParity),
  };
}

/** Serves blocks from 0 on: block `n` has the wallet's transaction of nonce `n`, and another account's. */
async function startNode(blocks: number) {
  const chain = await Promise.all(
    Array.from({ length: blocks }, async (_, n) => [
      await transaction(other, n),
      await transaction(wallet, n),
    ]),
  );
  const asked: number[] = [];
  const answerTo = ({ params }: RpcCall): RpcAnswer => {
    const number = Number(params[0]);
    asked.push(number);
    const transactions = chain[number];
    return { kind: "result", value: transactions ? { timestamp: "0x1", transactions } : null };
  };
  const node = { url: "http://node.test", askMany: async (calls: readonly RpcCall[]) => calls.map(answerTo) };
  return { node: node as unknown as Node, asked };
}

const HEAD = 64;
const nonces = (...values: number[]) => new Set(values.map(BigInt));
const all = Array.from({ length: HEAD + 1 }, (_, n) => n);

it("finds the transaction of every block, whichever it is in, and reads each block once", async () => {
  const { node, asked } = await startNode(HEAD + 1);
  const { mined, foreign } = await findMinedTransactions(
    node,
    WALLET,
    nonces(...all),
    BigInt(HEAD),
    () => undefined,
  );
  expect(mined.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b)).toEqual(all);
  expect(foreign).toEqual([]);
  expect(asked.toSorted((a, b) => a - b)).toEqual(all);
});

it("reads no further back than the last nonce to find, and refuses one that no block has", async () => {
  const { node, asked } = await startNode(HEAD + 1);
  const lowest: bigint[] = [];
  const find = (values: Set<bigint>) =>
    findMinedTransactions(node, WALLET, values, BigInt(HEAD), (block) => void lowest.push(block));
  expect((await find(nonces(HEAD, 30))).mined.map(({ nonce }) => nonce)).toEqual([BigInt(HEAD), 30n]);
  expect(Math.min(...asked)).toBeLessThanOrEqual(30);
  expect(lowest.at(-1)).toBe(BigInt(Math.min(...asked)));
  await expect(find(nonces(HEAD, 900))).rejects.toThrow(
    "no block has the wallet's transactions with the nonces 900",
  );
  expect(lowest.at(-1)).toBe(0n);
});
