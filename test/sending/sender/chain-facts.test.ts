import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import type { RpcAnswer, RpcCall } from "../../../src/chain/rpc.ts";
import { createChainFacts, findReceipt } from "../../../src/sending/sender/chain-facts.ts";
import { type Node, NodeUnreachable, parseAnswer } from "../../../src/sending/sender/nodes.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import { hex } from "../../support/assert/sample.ts";

const HEAD = 10n;
const blockHash = (number: bigint) => hex(32, Number(number) + 1);
const [ONE, TWO, NONE] = [hex(32, 0xa1), hex(32, 0xa2), hex(32, 0xa3)];
const receiptOf = (transactionHash: Hex) => ({
  transactionHash,
  blockNumber: "0x5",
  blockHash: blockHash(5n),
  status: "0x1",
  gasUsed: "0x5208",
});
const result = (value: unknown): RpcAnswer => ({ kind: "result", value });

/** Returns a node that has blocks up to its head, and receipts of some transactions; and what it is asked. */
function nodeWith(...transactions: Hex[]) {
  const asked: RpcCall[][] = [];
  const answerTo = ({ method, params: [param] }: RpcCall): RpcAnswer => {
    if (method === "eth_getBlockByNumber") return result({ hash: blockHash(BigInt(param as Hex)) });
    return result(transactions.includes(param as Hex) ? receiptOf(param as Hex) : null);
  };
  const node = {
    url: "http://first",
    head: { number: HEAD, hash: blockHash(HEAD) },
    askMany: async (calls: RpcCall[]) => {
      asked.push(calls);
      return calls.map(answerTo);
    },
    read: (method: string, answer: RpcAnswer, shape: Parameters<typeof parseAnswer>[2]) =>
      parseAnswer(method, answer, shape),
  } as unknown as Node;
  const params = () => asked.map((calls) => calls.map((call) => call.params));
  return { node, facts: createChainFacts(node), params };
}

describe("facts of a chain", () => {
  it("are each read once, in one request, and blocks above the head are none", async () => {
    const { facts, params } = nodeWith(ONE);
    await facts.load({ blocks: [HEAD, 5n, 5n, HEAD + 1n], receipts: [ONE, ONE, NONE] });
    await facts.load({ blocks: [5n], receipts: [ONE, NONE] });
    expect(await facts.blockHash(5n)).toBe(blockHash(5n));
    expect(await facts.blockHash(HEAD)).toBe(blockHash(HEAD));
    expect(await facts.blockHash(HEAD + 1n)).toBeNull();
    expect(await facts.receipt(ONE)).toMatchObject({ hash: ONE, success: true, blockNumber: 5n });
    expect(await facts.receipt(NONE)).toBeNull();
    expect(params()).toEqual([[["0x5", false], [ONE], [NONE]]]);
  });

  it("are read where they are asked for, and nothing else is", async () => {
    const { facts, params } = nodeWith(ONE);
    expect(await facts.blockHash(4n)).toBe(blockHash(4n));
    expect(await facts.receipt(ONE)).toMatchObject({ hash: ONE });
    expect(params()).toEqual([[["0x4", false]], [[ONE]]]);
  });
});

describe("a receipt of any attempt", () => {
  /** Returns a wallet whose other nodes answer so, and the transactions that they are asked about. */
  function walletWhere(answer: (transaction: Hex) => RpcAnswer) {
    const asked: unknown[] = [];
    const askEach = async (
      first: string,
      _method: string,
      [transaction]: Hex[],
      isEnough: (answer: RpcAnswer) => boolean,
    ) => {
      const given = answer(transaction ?? "0x");
      asked.push([first, transaction, isEnough(given)]);
      return given;
    };
    return { wallet: { nodes: { askEach } } as unknown as Wallet, asked };
  }

  it("is the view's own, where it has one, and no other node is asked", async () => {
    const { node, facts } = nodeWith(TWO);
    const { wallet, asked } = walletWhere(() => result(null));
    expect(await findReceipt(wallet, node, facts, [ONE, TWO])).toMatchObject({ hash: TWO });
    expect(asked).toEqual([]);
  });

  it("is another node's, or none where every node lacks it", async () => {
    const { node, facts } = nodeWith();
    const { wallet, asked } = walletWhere((transaction) =>
      result(transaction === TWO ? receiptOf(TWO) : null),
    );
    expect(await findReceipt(wallet, node, facts, [ONE, TWO])).toMatchObject({ hash: TWO });
    expect(asked).toEqual([
      ["http://first", ONE, false],
      ["http://first", TWO, true],
    ]);
    expect(await findReceipt(wallet, node, facts, [NONE])).toBeNull();
  });

  it.each<[string, RpcAnswer]>([
    ["refuses to answer", { kind: "error", code: 1, message: "no", data: null }],
    ["answers with another transaction's", result(receiptOf(TWO))],
  ])("stays unknown where a node %s", async (_what, answer) => {
    const { node, facts } = nodeWith();
    const { wallet } = walletWhere(() => answer);
    await expect(findReceipt(wallet, node, facts, [ONE])).rejects.toThrow(NodeUnreachable);
  });
});
