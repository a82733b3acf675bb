import type { OutboxDeps } from "../outbox/deps.ts";
import type { Signer } from "../signer/signer.ts";
import type { Facts } from "./facts.ts";
import type { FeeCaps } from "./fees.ts";
import type { Nodes } from "./nodes.ts";
import type { CallRules } from "./verify-call.ts";

/** Conditions that need an operator. Counted by metrics, and logged as errors. */
export type Alarm =
  | "wallet-halted"
  | "wallet-paused"
  /** A request waits that costs more than its wallet has; the others go on. */
  | "unaffordable"
  | "fee-cap"
  | "node-unreachable"
  | "wrong-chain"
  /** It answers, and its head is far behind the others'. */
  | "node-stale"
  /** One node says that a wallet's nonce is used up, and another that it is not. */
  | "nodes-disagree"
  /** A node knows transactions of a wallet that the database does not: nothing is signed. */
  | "unknown-pending"
  /** A wallet's next nonce on the chain belongs to nothing that is sent again, as after a deep reorg: nothing is signed. */
  | "nonce-gap"
  /** A request whose call is none that may be signed: it failed. */
  | "call-refused"
  | "unknown-answer";

export interface SenderConfig extends FeeCaps {
  /** Pause between two full cycles of a wallet that has work, without a notification, ms. */
  pollMs: number;
  /** The same for a wallet at rest, and between two attempts to get the lease of another worker's wallet. */
  idlePollMs: number;
  /** Least time between two groups of a wallet, ms: what arrives close together goes out together. */
  groupMs: number;
  /**
   * How long a view of the chain (which chain it is, head, nonce, balance) is used again, ms. Behind one URL may stand
   * several nodes, so it is bounded though the head stays the same.
   */
  viewMs: number;
  /** How long a lease holds without renewal, ms. */
  leaseMs: number;
  /** Requests of one wallet that may be signed and not mined at once. */
  inFlightMax: number;
  /** Stored bytes that are not mined go out again after this, ms. */
  rebroadcastMs: number;
  /** The first in line gets a higher fee after this, ms. */
  bumpAfterMs: number;
  /** Offered where a node suggests less, wei per gas. */
  minPriorityFee: bigint;
  /** A call that nodes took this often, over all its attempts, and knew nothing of afterwards can never be mined. */
  takenMax: number;
  /** A call that every node refused this often, with errors that match no pattern, can never be mined. */
  refusedMax: number;
  /** How long a nonce may be used up without a receipt before it counts as used elsewhere, ms. */
  foreignGraceMs: number;
  /** A request that waited longer than this is simulated again before it is signed, ms. */
  resimulateAfterMs: number;
  /** Observations of a wallet (balance, nonce) are stored this often, ms. */
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

/** A state that a request to send reached, for metrics. */
export type Reached = "broadcast" | "mined";

export interface SenderDeps extends OutboxDeps {
  config: SenderConfig;
  rules: CallRules;
  facts: Facts;
  alarm: (alarm: Alarm, fields: Record<string, unknown>) => void;
  /** Called once what was reached is stored, with the seconds since the request was accepted. */
  onReached?: ((reached: Reached, chainId: number, seconds: number) => void) | undefined;
}

/** One wallet under a lease. */
export interface Wallet {
  signer: Signer;
  nodes: Nodes;
  /** Every write carries both: a worker that lost the wallet writes nothing any more. */
  epoch: bigint;
  /** Id of the worker's process. */
  owner: string;
}
