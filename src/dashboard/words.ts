/** Words of searches, timelines and problems, those of the enums in schema/dashboard-*.graphql; a test compares them. */

export const SEARCH_KINDS = [
  "order",
  "operation",
  "transaction",
  "send",
  "key",
  "user",
  "request",
  "webhook",
  "delivery",
  "event",
  "wallet",
  "token",
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export const TIMELINE_KINDS = ["order", "operation", "send", "transaction"] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export const STEP_STATES = ["done", "current", "failed", "expected"] as const;
export type StepState = (typeof STEP_STATES)[number];

/** In the order in which steps of one moment come. */
export const STEP_KINDS = [
  "accepted",
  "simulated",
  "claimed",
  "signed",
  "broadcast",
  "replaced",
  "filled_nonce",
  "mined",
  "placed",
  "created",
  "indexed",
  "mapped",
  "fill",
  "cancel_requested",
  "settled",
  "event",
  "delivery",
  "retracted",
  "final",
  "ended",
  "expiry",
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** critical: partners are affected; warning: they may soon be. */
export const PROBLEM_SEVERITIES = ["critical", "warning"] as const;
export type ProblemSeverity = (typeof PROBLEM_SEVERITIES)[number];

export const PROBLEM_CAUSES = [
  "node",
  "index",
  "chain",
  "worker",
  "deliverer",
  "halt",
  "wallet",
  "switch",
  "part",
  "webhooks",
] as const;
export type ProblemCause = (typeof PROBLEM_CAUSES)[number];
