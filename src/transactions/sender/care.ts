import type { FillReason } from "../outbox/rows.ts";
import type { SenderConfig } from "./deps.ts";
import type { Attempt, InFlight } from "./store.ts";

/** What a request that is signed and not mined needs now. */
export type Care =
  | { kind: "nothing" }
  /** The same bytes again. */
  | { kind: "send" }
  /** The same payload at a higher fee. */
  | { kind: "bump" }
  /** Its nonce must be used by a transfer of nothing instead. */
  | { kind: "fill"; reason: FillReason }
  /** Nodes took it again and again and know nothing of it: if that is so still, it needs a filler. */
  | { kind: "look-up"; reason: FillReason }
  /** Even a filler is refused: a person must look. */
  | { kind: "hopeless" };

export interface Moment {
  nowMs: number;
  /** Its nonce is the wallet's next to be mined: nothing else is in its way. */
  first: boolean;
}

type Limits = Pick<SenderConfig, "rebroadcastMs" | "bumpAfterMs" | "takenMax">;

/** Pure. `answer` is what the last broadcast of the newest attempt meant (answers.ts). */
export function careFor(request: InFlight, moment: Moment, limits: Limits): Care {
  const newest = request.attempts.at(-1);
  if (!newest || request.state === "mined") return { kind: "nothing" };
  // Bytes that a remote signer has not made yet.
  if (!newest.signed) return { kind: "nothing" };
  if (newest.kind === "call") {
    const reason = fillReasonOf(request, newest, moment);
    if (reason) return { kind: "fill", reason };
  } else if (newest.answer === "never-minable" || newest.answer === "oversized") {
    return { kind: "hopeless" };
  }
  if (newest.answer === "underpriced" || newest.answer === "fee-too-low") return { kind: "bump" };
  return onTime(newest, moment, limits);
}

function fillReasonOf(request: InFlight, newest: Attempt, { nowMs }: Moment): FillReason | null {
  if (request.fillReason) return request.fillReason;
  if (newest.answer === "never-minable") return "OUT_OF_GAS";
  if (newest.answer === "oversized") return "CHAIN_REVERT";
  const expired = request.deadline !== null && BigInt(Math.floor(nowMs / 1000)) > request.deadline;
  return expired ? "DEADLINE_EXPIRED" : null;
}

function onTime(newest: Attempt, { nowMs, first }: Moment, limits: Limits): Care {
  const { firstBroadcastMs, lastBroadcastMs } = newest;
  if (lastBroadcastMs === null || firstBroadcastMs === null) return { kind: "send" };
  // What waits behind another nonce is not helped by a higher fee, and neither is what a receipt will explain.
  if (first && newest.answer !== "nonce-too-low" && nowMs - firstBroadcastMs >= limits.bumpAfterMs)
    return { kind: "bump" };
  if (nowMs - lastBroadcastMs < limits.rebroadcastMs) return { kind: "nothing" };
  if (first && newest.kind === "call" && newest.taken >= limits.takenMax) {
    return { kind: "look-up", reason: "OUT_OF_GAS" };
  }
  return { kind: "send" };
}
