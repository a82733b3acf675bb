import type { Hex } from "viem";
import type { SendState } from "../outbox/rows.ts";

/** The fields of a receipt that decide. */
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
  /** The wallet's nonce at the head: how many of its transactions are mined. */
  accountNonce: bigint;
  /** Blocks on top after which nothing changes any more. */
  confirmations: number;
  /** The hash of the block that the request was seen mined in, as it is now; null above the head. */
  canonicalHash: Hex | null;
  /** The receipt of one of the request's attempts; null where there is none; undefined where no node was asked yet. */
  receipt: Receipt | null | undefined;
}

export type ReceiptDecision =
  | { kind: "nothing" }
  | { kind: "mined"; receipt: Receipt }
  | { kind: "final" }
  /** Its transaction was mined, and is no longer. */
  | { kind: "reorged" }
  /** The nonce is used up, and not by us. */
  | { kind: "foreign" };

interface TrackedRequest {
  state: SendState;
  nonce: bigint;
  minedBlock: bigint | null;
  minedBlockHash: Hex | null;
}

/** Decides what one request's state on the chain means; "ask" where its receipt must be fetched first. */
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
  // A node that has not got that far says nothing about it.
  if (minedBlock === null || canonicalHash === null) return { kind: "nothing" };
  // A block's hash stands for the receipts in it.
  if (canonicalHash === minedBlockHash) {
    return head - minedBlock >= BigInt(confirmations) ? { kind: "final" } : { kind: "nothing" };
  }
  // Nothing with its nonce is mined here: a receipt that another node still has is of a block that is gone.
  if (nonce >= accountNonce) return { kind: "reorged" };
  if (receipt === undefined) return { kind: "ask" };
  return receipt ? { kind: "mined", receipt } : { kind: "reorged" };
}
