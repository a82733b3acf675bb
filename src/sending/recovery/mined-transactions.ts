import {
  formatTransaction,
  type Hex,
  keccak256,
  type RpcTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializedEIP1559,
} from "viem";
import { z } from "zod";
import { type Node, NodeUnreachable, parseAnswer } from "../sender/nodes.ts";

/** A transaction of a wallet. Its signature proves what it contains, whichever node it came from. */
export interface MinedTransaction {
  hash: Hex;
  nonce: bigint;
  to: Hex | null;
  data: Hex;
  /** Wei. */
  value: bigint;
  gasLimit: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** What was signed, as nodes take it. */
  bytes: Hex;
}

/** Blocks of one request to a node. They come with all of their transactions. */
const BLOCKS = 20n;

const blockSchema = z.object({
  transactions: z.array(z.looseObject({ from: z.string(), nonce: z.string(), hash: z.string() })),
});

/**
 * Finds the mined transactions with which a wallet used some nonces, reading blocks from `toBlock` backwards until it has all.
 * @param onProgress called after each part, with the lowest block that was read and the number of nonces still to find
 * @returns them by nonce; of another kind than this service signs, they are left out
 * @throws Error where the chain's first block is reached, or a node does not have a block any more, before all were found
 */
export async function findMinedTransactions(
  node: Node,
  wallet: Hex,
  nonces: ReadonlySet<bigint>,
  toBlock: bigint,
  onProgress: (block: bigint, left: number) => void,
): Promise<Map<bigint, MinedTransaction>> {
  const found = new Map<bigint, MinedTransaction>();
  const left = new Set(nonces);
  for (let last = toBlock; left.size > 0; last -= BLOCKS) {
    if (last < 0n)
      throw new Error(`no block has the wallet's transactions with the nonces ${[...left].join(", ")}`);
    const first = last >= BLOCKS ? last - BLOCKS + 1n : 0n;
    for (const raw of await readTransactions(node, first, last)) {
      const nonce = BigInt(raw.nonce);
      if (raw.from.toLowerCase() !== wallet || !left.delete(nonce)) continue;
      const transaction = await toMined(raw, wallet);
      if (transaction) found.set(nonce, transaction);
    }
    onProgress(first, left.size);
  }
  return found;
}

type RawTransaction = z.output<typeof blockSchema>["transactions"][number];

async function readTransactions(node: Node, first: bigint, last: bigint): Promise<RawTransaction[]> {
  const numbers = Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
  const calls = numbers.map((number) => ({
    method: "eth_getBlockByNumber",
    params: [`0x${number.toString(16)}`, true],
  }));
  const answers = await node.askMany(calls);
  return calls.flatMap(({ method }, index) => {
    const answer = answers[index] ?? { kind: "unreachable", reason: "no answer" };
    const block = parseAnswer(method, answer, blockSchema.nullable());
    if (!block) throw new NodeUnreachable(`${node.url} does not have block ${numbers[index]}`);
    return block.transactions;
  });
}

/** Returns a transaction of the type that this service signs; null for another one. @throws Error where it is not what its hash says */
async function toMined(raw: RawTransaction, wallet: Hex): Promise<MinedTransaction | null> {
  const transaction = formatTransaction(raw as unknown as RpcTransaction);
  if (transaction.type !== "eip1559") return null;
  const { hash, nonce, to, input, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const { r, s, yParity, chainId, value, accessList } = transaction;
  const bytes = serializeTransaction(
    {
      type: "eip1559",
      chainId,
      nonce,
      to,
      data: input,
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
      value,
      accessList,
    },
    { r, s, yParity },
  );
  const signer = await recoverTransactionAddress({
    serializedTransaction: bytes as TransactionSerializedEIP1559,
  });
  if (keccak256(bytes) !== hash || signer.toLowerCase() !== wallet) {
    throw new NodeUnreachable(
      `a node gives a transaction ${hash} that does not fit its hash or its signature`,
    );
  }
  return {
    ...{ hash, bytes, maxFeePerGas, maxPriorityFeePerGas },
    nonce: BigInt(nonce),
    to: to ? (to.toLowerCase() as Hex) : null,
    data: input,
    value,
    gasLimit: gas,
  };
}
