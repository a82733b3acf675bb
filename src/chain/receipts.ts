import {
  type Hex,
  type PublicClient,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { ApiError } from "../protocol/errors.ts";
import type { Chain } from "./clients.ts";

export type Logs = TransactionReceipt["logs"];

/** Status of a transaction, according to the nodes of its chain. */
export type TransactionStatus =
  | { state: "mined"; reverted: boolean; blockNumber: bigint; blockHash: Hex; logs: Logs }
  /** In a node's pool, not mined. */
  | { state: "waiting" }
  /** No node has it, and every node answered. */
  | { state: "unknown" };

/**
 * Asks node after node until one has the receipt, so that a lagging node does not make a mined transaction unknown.
 * @throws ApiError RPC_UNAVAILABLE where no node has it and one did not answer: that one may have it
 */
export async function findTransaction(chain: Chain, txHash: Hex): Promise<TransactionStatus> {
  let waiting = false;
  let failure: unknown = null;
  for (const node of chain.nodes) {
    try {
      const status = await askNode(node, txHash);
      if (status.state === "mined") return status;
      waiting ||= status.state === "waiting";
    } catch (error) {
      failure = error;
    }
  }
  if (waiting) return { state: "waiting" };
  if (failure) throw new ApiError("RPC_UNAVAILABLE", { cause: failure });
  return { state: "unknown" };
}

/** Target and calldata of a transaction, mined or not. */
export interface SentCall {
  hash: Hex;
  from: Hex;
  to: Hex | null;
  input: Hex;
}

/**
 * Returns the call of a transaction from the first node that knows it, null where none does.
 * @throws ApiError RPC_UNAVAILABLE where no node has it and one did not answer
 */
export async function findCall(chain: Chain, txHash: Hex): Promise<SentCall | null> {
  let failure: unknown = null;
  for (const node of chain.nodes) {
    try {
      const { hash, from, to, input } = await node.getTransaction({ hash: txHash });
      return { hash, from, to, input };
    } catch (error) {
      if (!(error instanceof TransactionNotFoundError)) failure = error;
    }
  }
  if (failure) throw new ApiError("RPC_UNAVAILABLE", { cause: failure });
  return null;
}

async function askNode(node: PublicClient, txHash: Hex): Promise<TransactionStatus> {
  try {
    const { status, blockNumber, blockHash, logs } = await node.getTransactionReceipt({ hash: txHash });
    return { state: "mined", reverted: status === "reverted", blockNumber, blockHash, logs };
  } catch (error) {
    if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
  }
  try {
    await node.getTransaction({ hash: txHash });
    return { state: "waiting" };
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return { state: "unknown" };
    throw error;
  }
}
