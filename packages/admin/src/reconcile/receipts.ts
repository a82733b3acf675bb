import { formatTransactionReceipt, type Hex, type RpcTransactionReceipt } from "viem";
import { z } from "zod";
import type { Logs } from "../../../../src/chain/receipts.ts";
import { createBatches, type RpcAnswer, type RpcCall } from "../../../../src/chain/rpc.ts";
import type { ChainConfig } from "../../../../src/config/deployments.ts";
import { hash, quantity } from "../../../../src/sending/sender/nodes.ts";

/** State of a transaction, according to the nodes of a chain. */
export type Evidence =
  | Mined
  /** In a node's pool. */
  | { state: "waiting" }
  /** Every node answered that it has none. */
  | { state: "none" }
  /** Unknown: the nodes no longer have it, or one that may have it did not answer. */
  | { state: "unknown" };

export interface Mined {
  state: "mined";
  reverted: boolean;
  blockNumber: bigint;
  blockHash: Hex;
  from: Hex;
  logs: Logs;
}

/** A transaction, and its block in the database; null where it has none. */
export interface ReceiptQuery {
  hash: Hex;
  block: bigint | null;
}

export interface Block {
  number: bigint;
  hash: Hex;
  /** Unix seconds. */
  timestamp: bigint;
  transactions: readonly Hex[];
}

/** Receipts and blocks of a chain, which every node has even without the state of old blocks. */
export interface ChainHistory {
  /** Returns the head of the first node that answers. */
  head(): Promise<Block>;
  /** Returns the evidence of each transaction, in the given order. */
  evidenceOf(asked: readonly ReceiptQuery[]): Promise<Evidence[]>;
  /** Returns blocks by their number; those that no node has are absent. */
  blocks(numbers: ReadonlySet<bigint>): Promise<Map<bigint, Block>>;
}

const TIMEOUT_MS = 10_000;

const address = z.string().transform((text) => text.toLowerCase() as Hex);
const receiptShape = z.looseObject({ blockHash: hash, blockNumber: quantity, from: address });
const transactionShape = z.looseObject({ blockNumber: quantity.nullish() });
const blockShape = z.object({ number: quantity, hash, timestamp: quantity, transactions: z.array(hash) });

/** One node's answers to a question: a value, or only answers without one; null without any answer. */
type NodeAnswer<T> = { value: T } | "nothing" | null;

/** Opens the history of a chain. @throws Error where a node serves another chain */
export async function openHistory({ chainId, rpcUrls }: ChainConfig): Promise<ChainHistory> {
  const batches = createBatches(TIMEOUT_MS);

  /** Asks node after node for the answers that earlier nodes lack, so that a lagging or pruning node does not make them missing. */
  async function askNodes<T>(calls: readonly RpcCall[], shape: z.ZodType<T>): Promise<NodeAnswer<T>[]> {
    if (calls.length === 0) return [];
    const answered: NodeAnswer<T>[] = calls.map(() => "nothing");
    let answerCount = 0;
    for (const url of rpcUrls) {
      const open = calls.flatMap((call, index) => (hasValue(answered[index]) ? [] : [{ call, index }]));
      const answers = await batches.ask(
        url,
        open.map(({ call }) => call),
      );
      for (const [position, { index }] of open.entries()) {
        const found = read(answers[position], shape);
        if (found !== null) answerCount += 1;
        // A node that did not answer may be the one that has it.
        if (found !== "nothing") answered[index] = found;
      }
    }
    if (answerCount === 0) throw new Error(`no node of chain ${chainId} answers`);
    return answered;
  }

  const blocks = async (numbers: ReadonlySet<bigint>): Promise<Map<bigint, Block>> => {
    const calls = [...numbers].map((number) => ({
      method: "eth_getBlockByNumber",
      params: [`0x${number.toString(16)}`, false],
    }));
    const answered = await askNodes(calls, blockShape);
    return new Map(answered.flatMap((each) => (hasValue(each) ? [[each.value.number, each.value]] : [])));
  };

  const head = async (): Promise<Block> => {
    const [block] = await askNodes(
      [{ method: "eth_getBlockByNumber", params: ["latest", false] }],
      blockShape,
    );
    if (!hasValue(block ?? null)) throw new Error(`no node of chain ${chainId} has a block`);
    return (block as { value: Block }).value;
  };

  const evidenceOf = async (asked: readonly ReceiptQuery[]): Promise<Evidence[]> => {
    const by = (method: string, some: readonly ReceiptQuery[]) =>
      some.map((one) => ({ method, params: [one.hash] }));
    const receipts = await askNodes(by("eth_getTransactionReceipt", asked), receiptShape);
    const without = asked.filter((_one, index) => receipts[index] === "nothing");
    const transactions = await askNodes(by("eth_getTransactionByHash", without), transactionShape);
    const named = new Set(without.flatMap(({ block }) => (block === null ? [] : [block])));
    const found = await blocks(named);
    const rest = new Map(
      without.map((one, index) => [one.hash, withoutReceipt(one, transactions[index] ?? null, found)]),
    );
    return asked.map((one, index) => {
      const receipt = receipts[index] ?? null;
      return hasValue(receipt) ? toMined(receipt.value) : (rest.get(one.hash) ?? { state: "unknown" });
    });
  };

  const ids = await Promise.all(
    rpcUrls.map((url) => batches.ask(url, [{ method: "eth_chainId", params: [] }])),
  );
  for (const [index, [id]] of ids.entries()) {
    if (id?.kind === "result" && Number(id.value) !== chainId)
      throw new Error(
        `node ${index + 1} of chain ${chainId} in the deployments file serves chain ${Number(id.value)}`,
      );
  }
  return { head, evidenceOf, blocks };
}

const hasValue = <T>(answered: NodeAnswer<T> | undefined): answered is { value: T } =>
  typeof answered === "object" && answered !== null;

function read<T>(answer: RpcAnswer | undefined, shape: z.ZodType<T>): NodeAnswer<T> {
  if (answer?.kind !== "result") return null;
  if (answer.value === null) return "nothing";
  const parsed = shape.safeParse(answer.value);
  return parsed.success ? { value: parsed.data } : null;
}

function toMined(raw: z.output<typeof receiptShape>): Mined {
  const { blockHash, blockNumber, from } = raw;
  const { status, logs } = formatTransactionReceipt({
    ...raw,
    blockNumber: `0x${blockNumber.toString(16)}`,
  } as unknown as RpcTransactionReceipt);
  return { state: "mined", reverted: status === "reverted", blockNumber, blockHash, from, logs };
}

/** Judges a transaction without a receipt by its block: a pruning node answers as if there were no receipt. */
function withoutReceipt(
  { hash: txHash, block }: ReceiptQuery,
  transaction: NodeAnswer<z.output<typeof transactionShape>>,
  blocks: ReadonlyMap<bigint, Block>,
): Evidence {
  if (transaction === null) return { state: "unknown" };
  if (hasValue(transaction))
    return transaction.value.blockNumber ? { state: "unknown" } : { state: "waiting" };
  if (block === null) return { state: "none" };
  const named = blocks.get(block);
  return !named || named.transactions.includes(txHash) ? { state: "unknown" } : { state: "none" };
}
