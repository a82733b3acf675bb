/** A rule that a partner's program keeps. */
export interface Rule {
  title: string;
  /** Section of the guide that states it. */
  guide: string;
}

/** The rules by id, in the order of the report (docs/certification.md#rules). */
export const RULES = {
  signed: { title: "Signs every request as the service expects", guide: "docs/authentication.md#signing" },
  nonce: {
    title: "Gives each request, also a repeat, its own nonce",
    guide: "docs/authentication.md#signing",
  },
  timestamp: { title: "Signs with a clock at most 45 s off", guide: "docs/authentication.md#signing" },
  "secret-private": {
    title: "Shows its secret nowhere: not in a request, not in its output",
    guide: "docs/clients.md#credentials",
  },
  "string-amounts": {
    title: "Sends amounts as decimal strings",
    guide: "docs/clients.md#what-the-libraries-do-for-you",
  },
  "lost-answer": { title: "Repeats a send whose answer was lost", guide: "docs/one-click.md#enable-sending" },
  "idempotency-key": {
    title: "Repeats a send with the same Idempotency-Key and body",
    guide: "docs/one-click.md#enable-sending",
  },
  "one-order": { title: "Causes one order for one intention", guide: "docs/one-click.md#enable-sending" },
  "read-repeated": {
    title: "Repeats a read whose answer was lost",
    guide: "docs/clients.md#what-the-libraries-do-for-you",
  },
  "retry-after": { title: "Waits for Retry-After before it repeats", guide: "docs/rate-limits.md" },
  backoff: {
    title: "Repeats after 503, with a pause before each try",
    guide: "docs/clients.md#what-the-libraries-do-for-you",
  },
  "unknown-errcode": {
    title: "Treats an unknown errCode by its retryable",
    guide: "docs/versioning.md#what-your-client-must-do",
  },
  "refusal-final": {
    title: "Does not repeat what is not retryable",
    guide: "docs/authentication.md#answers",
  },
  "refusal-reported": { title: "Reports a refusal by its errCode", guide: "docs/authentication.md#answers" },
  "open-not-ended": {
    title: "Takes no order for ended that is open, partly filled or canceling",
    guide: "docs/events.md#what-an-event-is",
  },
  "late-fill": {
    title: "Takes the fill that comes after a cancel was requested",
    guide: "docs/events.md#what-an-event-is",
  },
  "exact-amounts": {
    title: "Keeps every digit of an amount",
    guide: "docs/clients.md#what-the-libraries-do-for-you",
  },
  "ended-state": {
    title: "Reports how an order ended, also a rejected one",
    guide: "docs/events.md#what-an-event-is",
  },
  "unknown-field": {
    title: "Ignores unknown fields and headers",
    guide: "docs/versioning.md#what-your-client-must-do",
  },
  resume: { title: "Reconnects a stream with the last id", guide: "docs/events.md#as-a-stream" },
  "all-events": { title: "Misses no event of the log", guide: "docs/events.md#as-a-stream" },
  "events-once": { title: "Takes each event once", guide: "docs/events.md#what-an-event-is" },
  "unknown-event": {
    title: "Skips an event of an unknown type",
    guide: "docs/versioning.md#what-your-client-must-do",
  },
  reorg: { title: "Withdraws what a reorg took back", guide: "docs/events.md#what-an-event-is" },
  silence: { title: "Reconnects a silent stream", guide: "docs/events.md#as-a-stream" },
  "all-pages": {
    title: "Reads every row of a list once, while rows arrive",
    guide: "docs/authentication.md#answers",
  },
  "webhook-signature": {
    title: "Refuses a delivery whose signature is wrong",
    guide: "docs/webhooks.md#verifying",
  },
  "webhook-age": {
    title: "Refuses a delivery more than five minutes old",
    guide: "docs/webhooks.md#what-arrives",
  },
  "webhook-bytes": {
    title: "Verifies the body's bytes as they arrived",
    guide: "docs/webhooks.md#verifying",
  },
  "webhook-answer": {
    title: "Answers a delivery with 2xx within 10 s",
    guide: "docs/webhooks.md#what-to-answer",
  },
  "webhook-once": {
    title: "Answers a repeated delivery with 2xx, and takes it once",
    guide: "docs/webhooks.md#receiving-in-five-steps",
  },
  "webhook-rotation": {
    title: "Accepts a delivery where one of several signatures fits",
    guide: "docs/webhooks.md#secrets",
  },
  "webhook-late": {
    title: "Lets a late event not replace a newer one of its object",
    guide: "docs/webhooks.md#what-to-answer",
  },
  "rotation-repeated": {
    title: "Repeats a rotation whose answer was lost, with the secret it has",
    guide: "docs/authentication.md#rotating-your-secret",
  },
  "rotation-used": {
    title: "Signs with the new secret after a rotation",
    guide: "docs/authentication.md#rotating-your-secret",
  },
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;

export const RULE_IDS = Object.keys(RULES) as RuleId[];

export interface Finding {
  isKept: boolean;
  /** Observed facts, without secrets. */
  evidence: readonly string[];
}

/** Findings by rule; a rule that nothing showed is missing. */
export type Findings = Partial<Record<RuleId, Finding>>;

/** Returns a finding; kept where the condition holds. */
export const finding = (isKept: boolean, ...evidence: readonly string[]): Finding => ({ isKept, evidence });
