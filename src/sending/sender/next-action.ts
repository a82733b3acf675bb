import type { FillReason } from "../outbox/rows.ts";
import type { SenderConfig } from "./deps.ts";
import type { Attempt, InFlight } from "./store.ts";

/** Next step for a request that is signed and not mined. */
export type NextAction =
  | { kind: "nothing" }
  /** Send the same bytes again. */
  | { kind: "send" }
  /** Send the same payload at a higher fee. */
  | { kind: "bump" }
  /** Use its nonce for a transfer of nothing. */
  | { kind: "fill"; reason: FillReason }
  /** Nodes took it, or refused it, repeatedly: a filler if none of them knows it, `otherwise` if one does. */
  | { kind: "look-up"; reason: FillReason; otherwise: TimedAction }
  /** Even a filler is refused: an operator must intervene. */
  | { kind: "hopeless" };

export interface ActionContext {
  nowMs: number;
  /** True where its nonce is the wallet's next to be mined. */
  first: boolean;
}

type Limits = Pick<SenderConfig, "rebroadcastMs" | "bumpAfterMs" | "takenMax" | "refusedMax">;

type TimedAction = Exclude<NextAction, { kind: "look-up" }>;

/** Returns the next step of a request in flight. Pure; `answer` is the result of its newest broadcast (broadcast-result.ts). */
export function nextAction(request: InFlight, moment: ActionContext, limits: Limits): NextAction {
  const newest = request.attempts.at(-1);
  if (!newest || request.state === "mined") return { kind: "nothing" };
  if (newest.kind === "call") {
    const reason = fillReasonOf(request, newest, moment);
    if (reason) return { kind: "fill", reason };
  } else if (newest.answer === "never-minable" || newest.answer === "oversized") {
    return { kind: "hopeless" };
  }
  if (newest.answer === "underpriced" || mayBumpAtOnce(request.attempts)) return { kind: "bump" };
  const otherwise = timedAction(newest, moment, limits);
  const reason = suspectedFillReason(request, newest, moment, limits);
  return reason ? { kind: "look-up", reason, otherwise } : otherwise;
}

/**
 * Returns true for a request whose fee a node has just called too low. Its fee is raised at once, but only once: if that is not
 * enough, the first in the queue is raised in time, and the others wait for it.
 */
function mayBumpAtOnce(attempts: readonly Attempt[]): boolean {
  return attempts.find(({ answer }) => answer === "fee-too-low") === attempts.at(-1);
}

function fillReasonOf(request: InFlight, newest: Attempt, { nowMs }: ActionContext): FillReason | null {
  if (request.fillReason) return request.fillReason;
  if (newest.answer === "never-minable") return "OUT_OF_GAS";
  if (newest.answer === "oversized") return "CHAIN_REVERT";
  const expired = request.deadline !== null && BigInt(Math.floor(nowMs / 1000)) > request.deadline;
  return expired ? "DEADLINE_EXPIRED" : null;
}

/** Returns the reason why this call may never be mined, or null. Evaluated each time its bytes go out. */
function suspectedFillReason(
  { attempts }: InFlight,
  newest: Attempt,
  { nowMs, first }: ActionContext,
  limits: Limits,
): FillReason | null {
  const { lastBroadcastMs } = newest;
  if (!first || newest.kind !== "call" || lastBroadcastMs === null) return null;
  if (nowMs - lastBroadcastMs < limits.rebroadcastMs) return null;
  const refusals = attempts.reduce((sum, attempt) => sum + attempt.refusals, 0);
  if (refusals >= limits.refusedMax) return "CHAIN_REVERT";
  // A call that nodes refuse for its fee waits for lower fees.
  const taken = attempts.reduce((sum, attempt) => sum + attempt.taken, 0);
  return newest.answer === "taken" && taken >= limits.takenMax ? "OUT_OF_GAS" : null;
}

/** Answers after which a higher fee does not help. */
const NOT_FOR_FEES: ReadonlySet<string | null> = new Set(["nonce-too-low", "later", "refused"]);

function timedAction(newest: Attempt, { nowMs, first }: ActionContext, limits: Limits): TimedAction {
  const { firstBroadcastMs, lastBroadcastMs } = newest;
  if (lastBroadcastMs === null || firstBroadcastMs === null) return { kind: "send" };
  // A higher fee does not help a call that waits behind another nonce either.
  if (first && !NOT_FOR_FEES.has(newest.answer) && nowMs - firstBroadcastMs >= limits.bumpAfterMs)
    return { kind: "bump" };
  return { kind: nowMs - lastBroadcastMs < limits.rebroadcastMs ? "nothing" : "send" };
}
