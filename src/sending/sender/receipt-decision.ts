import type { Hex } from "viem";
import type { SendState } from "../outbox/rows.ts";

/** Fields of a receipt that decide. */
export interface Receipt {
  hash: Hex;
  blockNumber: bigint;
  blockHash: Hex;
  success: boolean;
  gasUsed: bigint;
}

/** One node's view of the chain. */
export interface ChainView {
  head: bigint;
  /** The wallet's nonce at the head: the number of its mined transactions. */
  accountNonce: bigint;
  /** Number of blocks on top that makes a block final. */
  confirmations: number;
  /** Current hash of the block at the height where the request was mined; null above the head. */
  canonicalHash: Hex | null;
  /** Receipt of one of the request's attempts; null where there is none; undefined where no node was asked yet. */
  receipt: Receipt | null | undefined;
}

export type ReceiptDecision =
  | { kind: "nothing" }
  | { kind: "mined"; receipt: Receipt }
  | { kind: "final" }
  /** Its transaction was mined, and no longer is. */
  | { kind: "reorged" }
  /** Its nonce was used by someone else. */
  | { kind: "foreign" };

interface TrackedRequest {
  state: SendState;
  nonce: bigint;
  minedBlock: bigint | null;
  minedBlockHash: Hex | null;
}

/** Decides on one request from its state on the chain; "ask" where its receipt must be fetched first. */
export function decideReceipt(request: TrackedRequest, view: ChainView): ReceiptDecision | { kind: "ask" } {
  return request.state === "mined" ? decideMined(request, view) : decideSent(request, view);
}

function decideSent(
  { nonce }: TrackedRequest,
  { accountNonce, receipt }: ChainView,
): ReceiptDecision | { kind: "ask" } {
  if (nonce >= accountNonce) return { kind: "nothing" };
  if (receipt === undefined) return { kind: "ask" };
  return receipt ? { kind: "mined", receipt } : { kind: "foreign" };
}

function decideMined(request: TrackedRequest, view: ChainView): ReceiptDecision | { kind: "ask" } {
  const { head, accountNonce, confirmations, canonicalHash, receipt } = view;
  const { nonce, minedBlock, minedBlockHash } = request;
  // A node below that block gives no information about it.
  if (minedBlock === null || canonicalHash === null) return { kind: "nothing" };
  // A block's hash determines the receipts in it.
  if (canonicalHash === minedBlockHash) {
    return head - minedBlock >= BigInt(confirmations) ? { kind: "final" } : { kind: "nothing" };
  }
  // Nothing with its nonce is mined here: a receipt that another node still has belongs to a removed block.
  if (nonce >= accountNonce) return { kind: "reorged" };
  if (receipt === undefined) return { kind: "ask" };
  return receipt ? { kind: "mined", receipt } : { kind: "reorged" };
}
