import type { Hex } from "viem";
import { z } from "zod";
import type { RpcAnswer, RpcCall } from "../../chain/rpc.ts";
import { hash, type Node, NodeUnreachable, quantity } from "./nodes.ts";
import type { Receipt } from "./receipt-decision.ts";
import type { Wallet } from "./wallet.ts";

const receiptShape = z
  .object({
    transactionHash: hash,
    blockNumber: quantity,
    blockHash: hash,
    status: quantity,
    gasUsed: quantity,
  })
  .transform(
    ({ transactionHash, status, ...rest }): Receipt => ({
      ...rest,
      hash: transactionHash,
      success: status === 1n,
    }),
  )
  .nullable();

/**
 * Returns the shape of a transaction's receipt. It refuses another transaction's receipt, as a cache in front of the node may
 * answer it.
 */
const receiptOf = (transaction: Hex) =>
  receiptShape.refine((receipt) => receipt === null || receipt.hash === transaction);

const blockShape = z.object({ hash }).nullable();

/** Blocks and receipts of one node, each read once. */
export interface ChainFacts {
  /**
   * Reads everything in one request.
   * @throws NodeUnreachable, NodeRefused
   */
  load(wanted: { blocks: readonly bigint[]; receipts: readonly Hex[] }): Promise<void>;
  /** Returns the hash of a block by number; null above the node's head. @throws as load */
  blockHash(block: bigint): Promise<Hex | null>;
  /** Returns the receipt of a transaction; null where the node has none. @throws as load */
  receipt(transaction: Hex): Promise<Receipt | null>;
}

export function createChainFacts(node: Node): ChainFacts {
  const blocks = new Map<bigint, Hex | null>([[node.head.number, node.head.hash]]);
  const receipts = new Map<Hex, Receipt | null>();

  async function load(wanted: { blocks: readonly bigint[]; receipts: readonly Hex[] }): Promise<void> {
    const numbers = [...new Set(wanted.blocks)].filter(
      (block) => block <= node.head.number && !blocks.has(block),
    );
    const hashes = [...new Set(wanted.receipts)].filter((each) => !receipts.has(each));
    const calls = [...numbers.map(blockCall), ...hashes.map(receiptCall)];
    if (calls.length === 0) return;
    const answers = await node.askMany(calls);
    for (const [index, number] of numbers.entries()) {
      const block = node.read("eth_getBlockByNumber", answers[index], blockShape);
      blocks.set(number, block?.hash ?? null);
    }
    for (const [index, transaction] of hashes.entries()) {
      const shape = receiptOf(transaction);
      receipts.set(
        transaction,
        node.read("eth_getTransactionReceipt", answers[numbers.length + index], shape),
      );
    }
  }

  return {
    load,
    blockHash: async (block) => {
      await load({ blocks: [block], receipts: [] });
      return blocks.get(block) ?? null;
    },
    receipt: async (transaction) => {
      await load({ blocks: [], receipts: [transaction] });
      return receipts.get(transaction) ?? null;
    },
  };
}

export const blockCall = (block: bigint): RpcCall => ({
  method: "eth_getBlockByNumber",
  params: [`0x${block.toString(16)}`, false],
});
const receiptCall = (transaction: Hex): RpcCall => ({
  method: "eth_getTransactionReceipt",
  params: [transaction],
});

/**
 * Returns the receipt of any attempt, on any node: one is enough, and null means that every node lacks it.
 * @param hashes the attempts', newest first
 * @throws NodeUnreachable where a node that might have it does not answer
 */
export async function findReceipt(
  wallet: Wallet,
  node: Node,
  facts: ChainFacts,
  hashes: readonly Hex[],
): Promise<Receipt | null> {
  for (const each of hashes) {
    const own = await facts.receipt(each);
    if (own) return own;
  }
  const isNone = (answer: RpcAnswer): boolean => answer.kind === "result" && answer.value === null;
  for (const each of hashes) {
    const { method, params } = receiptCall(each);
    const answer = await wallet.nodes.askEach(node.url, method, params, (given) => !isNone(given));
    if (isNone(answer)) continue;
    const parsed = receiptOf(each).safeParse(answer.kind === "result" ? answer.value : undefined);
    if (!parsed.success) throw new NodeUnreachable("a node does not tell whether a transaction is mined");
    return parsed.data;
  }
  return null;
}
