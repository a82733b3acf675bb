import {
  formatTransaction,
  type Hex,
  keccak256,
  type RpcTransaction,
  recoverTransactionAddress,
  type Signature,
  serializeTransaction,
  type Transaction,
  type TransactionSerializable,
  type TransactionSerialized,
} from "viem";
import { z } from "zod";
import { type Node, NodeUnreachable, parseAnswer, quantity } from "../sender/nodes.ts";

/** A transaction of a wallet. Its signature proves its content, whichever node it came from. */
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
  /** Time of its block. */
  minedAt: Date;
  /** Signed transaction, in the encoding of nodes. */
  bytes: Hex;
}

/** A transaction of a wallet of a type that this service never signs. Its signature proves its sender. */
export type ForeignTransaction = Pick<MinedTransaction, "hash" | "nonce">;

/** Transactions with which a wallet used some nonces. */
export interface FoundTransactions {
  mined: MinedTransaction[];
  foreign: ForeignTransaction[];
}

/** Blocks in one request to a node. They include all of their transactions. */
const BLOCKS = 20n;

const blockSchema = z.object({
  timestamp: quantity,
  transactions: z.array(z.looseObject({ from: z.string(), nonce: z.string(), hash: z.string() })),
});

/**
 * Finds the mined transactions with which a wallet used some nonces, reading blocks from `toBlock` backwards until all are found.
 * @param onProgress called after each part, with the lowest block read and the number of nonces still to find
 * @throws Error where the chain's first block is reached, or a node does not have a block any more, before all were found
 */
export async function findMinedTransactions(
  node: Node,
  wallet: Hex,
  nonces: ReadonlySet<bigint>,
  toBlock: bigint,
  onProgress: (block: bigint, left: number) => void,
): Promise<FoundTransactions> {
  const found: FoundTransactions = { mined: [], foreign: [] };
  const left = new Set(nonces);
  for (let last = toBlock; left.size > 0; last -= BLOCKS) {
    if (last < 0n)
      throw new Error(`no block has the wallet's transactions with the nonces ${[...left].join(", ")}`);
    const first = last >= BLOCKS ? last - BLOCKS + 1n : 0n;
    for (const { timestamp, transactions } of await readBlocks(node, first, last)) {
      for (const raw of transactions) {
        const nonce = BigInt(raw.nonce);
        if (raw.from.toLowerCase() !== wallet || !left.delete(nonce)) continue;
        await add(found, raw, wallet, new Date(Number(timestamp) * 1000));
      }
    }
    onProgress(first, left.size);
  }
  return found;
}

type Block = z.output<typeof blockSchema>;

async function readBlocks(node: Node, first: bigint, last: bigint): Promise<Block[]> {
  const numbers = Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
  const calls = numbers.map((number) => ({
    method: "eth_getBlockByNumber",
    params: [`0x${number.toString(16)}`, true],
  }));
  const answers = await node.askMany(calls);
  return calls.map(({ method }, index) => {
    const answer = answers[index] ?? { kind: "unreachable", reason: "no answer" };
    const block = parseAnswer(method, answer, blockSchema.nullable());
    // The host alone: the rest of a node's URL may be a credential.
    if (!block) throw new NodeUnreachable(`${new URL(node.url).host} does not have block ${numbers[index]}`);
    return block;
  });
}

/**
 * Adds a found transaction.
 * @throws NodeUnreachable where its content contradicts its hash or its signature
 */
async function add(
  found: FoundTransactions,
  raw: Block["transactions"][number],
  wallet: Hex,
  minedAt: Date,
): Promise<void> {
  const transaction = formatTransaction(raw as unknown as RpcTransaction);
  const { hash, to, input, gas, value } = transaction;
  const bytes = bytesOf(transaction);
  const signer = await recoverTransactionAddress({ serializedTransaction: bytes });
  if (keccak256(bytes) !== hash || signer.toLowerCase() !== wallet)
    throw new NodeUnreachable(
      `a node gives a transaction ${hash} that does not fit its hash or its signature`,
    );
  const nonce = BigInt(transaction.nonce);
  if (transaction.type !== "eip1559") {
    found.foreign.push({ hash, nonce });
    return;
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
  found.mined.push({
    hash,
    nonce,
    bytes,
    value,
    maxFeePerGas,
    maxPriorityFeePerGas,
    minedAt,
    to: to ? (to.toLowerCase() as Hex) : null,
    data: input,
    gasLimit: gas,
  });
}

/** Returns the signed form of a mined transaction. */
function bytesOf(transaction: Transaction): TransactionSerialized {
  const { r, s, v, yParity, input, chainId, type, ...rest } = transaction;
  // The `v` of a legacy transaction includes its chain, if any.
  const chain = type === "legacy" ? {} : { chainId };
  const signed = { ...rest, ...chain, type, data: input } as unknown as TransactionSerializable;
  const signature = type === "legacy" ? { r, s, v } : { r, s, yParity: yParity ?? Number(v) };
  return serializeTransaction(signed, signature as Signature) as TransactionSerialized;
}
