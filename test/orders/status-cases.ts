import type { Claim } from "../../src/claims/mapping.ts";
import type { ChainState } from "../../src/orders/status.ts";

type Case = [
  path: string,
  chain: ChainState | null,
  claim: Claim["state"],
  status: string,
  onChainStatus: string,
];
const chain = (type: ChainState["type"], status: ChainState["status"], filled = 0n): ChainState => ({
  type,
  status,
  filledQuantity: filled,
});

/** Every path of docs/api.md#order-states; the filter of lists is held against the same table. */
export const STATUS_CASES: Case[] = [
  ["mapped, not mined", null, "pending", "Init", "placing"],
  ["mined for good, not indexed yet", null, "final", "Init", "placing"],
  ["its transaction reverted", null, "reverted", "Failed", "history"],
  ["a market order on the chain", chain("Market", "open"), "pending", "Pending", "open"],
  ["a market order on the chain, final", chain("Market", "open"), "final", "Pending", "open"],
  ["a limit order that rests", chain("Limit", "open"), "pending", "New", "open"],
  ["a limit order, filled in part", chain("Limit", "open", 1n), "pending", "Partial filled", "open"],
  ["a cancel was asked for", chain("Limit", "canceling"), "pending", "New", "canceling"],
  [
    "a cancel was asked for after a part",
    chain("Limit", "canceling", 1n),
    "pending",
    "Partial filled",
    "canceling",
  ],
  ["a market order filled", chain("Market", "filled", 1n), "pending", "Filled", "history"],
  ["a limit order filled", chain("Limit", "filled", 1n), "final", "Filled", "history"],
  ["the fill won against the cancel", chain("Limit", "filled", 1n), "pending", "Filled", "history"],
  ["canceled", chain("Limit", "canceled"), "pending", "Canceled", "history"],
  ["canceled with fills", chain("Limit", "canceled", 1n), "pending", "Canceled", "history"],
  ["rejected", chain("Market", "rejected"), "pending", "Rejected", "history"],
  ["a limit order rejected", chain("Limit", "rejected"), "pending", "Rejected", "history"],
  ["expired", chain("Limit", "expired"), "pending", "Expired", "history"],
  ["expired with fills", chain("Limit", "expired", 1n), "pending", "Expired", "history"],
  // A reorg deeper than finality: the chain's word counts.
  ["indexed after all", chain("Limit", "open"), "reverted", "New", "open"],
  ["mined after it was dropped", chain("Market", "open"), "dropped", "Pending", "open"],
];
