import type { OutboxDeps } from "../outbox/deps.ts";
import type { Facts } from "./facts.ts";
import type { FeeCaps } from "./fees.ts";
import type { SenderStore } from "./sender-store.ts";
import type { CallRules } from "./verify-call.ts";

/** Conditions that need an operator. Counted by metrics, and logged as errors. */
export type Alarm =
  | "wallet-halted"
  | "wallet-paused"
  /** A waiting request costs more than its wallet has; the others continue. */
  | "unaffordable"
  | "fee-cap"
  | "node-unreachable"
  | "wrong-chain"
  /** A node answers, but its head is far behind the others'. */
  | "node-stale"
  /** One node reports a wallet's nonce as used, and another as unused. */
  | "nodes-disagree"
  /** A node knows transactions of a wallet that the database lacks: nothing is signed. */
  | "unknown-pending"
  /** A wallet's next nonce on the chain belongs to nothing that is sent again, as after a deep reorg: nothing is signed. */
  | "nonce-gap"
  /** The call of a request may not be signed: the request failed. */
  | "call-refused"
  /** The key of a wallet cannot sign: its stored transactions go on, and nothing new is signed. */
  | "key-unavailable"
  | "unknown-answer";

export interface SenderConfig extends FeeCaps {
  /** Pause between two full cycles of a wallet that has work, without a notification, ms. */
  pollMs: number;
  /** Pause of a wallet at rest, and between two attempts to get the lease of another worker's wallet, ms. */
  idlePollMs: number;
  /** Minimum time between two groups of a wallet, ms: requests that arrive close together are sent together. */
  groupMs: number;
  /**
   * Time for which a view of the chain (chain id, head, nonce, balance) is reused, ms. Several nodes may stand behind one URL, so
   * it is bounded even while the head stays the same.
   */
  viewMs: number;
  /** Validity of a lease without renewal, ms. */
  leaseMs: number;
  /** Requests of one wallet that may be signed and not mined at once. */
  inFlightMax: number;
  /** Time after which stored bytes that are not mined are broadcast again, ms. */
  rebroadcastMs: number;
  /** Time after which the first request in the queue gets a higher fee, ms. */
  bumpAfterMs: number;
  /** Minimum tip, used where a node suggests less, wei per gas. */
  minPriorityFee: bigint;
  /** Number of times, over all its attempts, that nodes may take a call and then not know it, before it counts as never minable. */
  takenMax: number;
  /** Number of times that every node may refuse a call with unknown errors before it counts as never minable. */
  refusedMax: number;
  /** Time for which a nonce may be used without a receipt before it counts as used elsewhere, ms. */
  foreignGraceMs: number;
  /** Wait after which a request is simulated again before it is signed, ms. */
  resimulateAfterMs: number;
  /** Interval of storing observations of a wallet (balance, nonce), ms. */
  observeMs: number;
}

export const DEFAULT_SENDER_CONFIG: SenderConfig = {
  pollMs: 500,
  idlePollMs: 1_000,
  groupMs: 50,
  viewMs: 1_000,
  leaseMs: 15_000,
  inFlightMax: 32,
  rebroadcastMs: 10_000,
  bumpAfterMs: 30_000,
  maxFeePerGasCap: 500_000_000_000n,
  maxPriorityFeeCap: 50_000_000_000n,
  minPriorityFee: 1_000_000_000n,
  takenMax: 5,
  refusedMax: 6,
  foreignGraceMs: 10_000,
  resimulateAfterMs: 15_000,
  observeMs: 5_000,
};

/** State that a request to send has reached, for metrics. */
export type Reached = "broadcast" | "mined";

export interface SenderDeps extends Pick<OutboxDeps, "log" | "now" | "crash"> {
  store: SenderStore;
  config: SenderConfig;
  rules: CallRules;
  facts: Facts;
  alarm: (alarm: Alarm, fields: Record<string, unknown>) => void;
  /** Called once the state is stored, with the seconds since the request was accepted. */
  onReached?: ((reached: Reached, chainId: number, seconds: number) => void) | undefined;
}
