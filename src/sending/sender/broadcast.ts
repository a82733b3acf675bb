import { notify } from "../outbox/end-store.ts";
import {
  type BroadcastResult,
  isConclusive,
  mergeResults,
  parseBroadcastAnswer,
} from "./broadcast-result.ts";
import { type Cycle, pause } from "./context.ts";
import { underLease } from "./lease.ts";
import type { RpcAnswer } from "./rpc.ts";
import type { Attempt, InFlight } from "./store.ts";

/**
 * Broadcasts the newest bytes of requests, one after the other in the order of nonces, and stores each result. Stops at
 * the first that no node answered for, or has room for: what follows would only queue behind it.
 */
export async function broadcastAll(cycle: Cycle, requests: readonly InFlight[]): Promise<void> {
  for (const request of requests) {
    const attempt = request.attempts.at(-1);
    if (!attempt) continue;
    const result = await broadcast(cycle, attempt);
    await storeResult(cycle, request, attempt, result);
    cycle.deps.crash?.("broadcast-result:after-commit");
    if (result.kind === "insufficient-funds") {
      await pause(cycle, "insufficient funds");
      return;
    }
    if (result.kind === "unknown" || result.kind === "later") return;
  }
}

/**
 * Sends bytes to one node after the other until one answers conclusively. Bytes that go out again go to all of them: a
 * node that takes everything and passes nothing on must not be the only one that has them.
 */
async function broadcast({ deps, wallet, node }: Cycle, attempt: Attempt): Promise<BroadcastResult> {
  const { bytes, hash } = attempt;
  deps.crash?.("broadcast:before");
  const enough = (answer: RpcAnswer): boolean => isConclusive(parseBroadcastAnswer(answer, hash));
  const answers =
    attempt.broadcasts === 0
      ? await wallet.nodes.askUntil(node.url, "eth_sendRawTransaction", [bytes], enough)
      : await wallet.nodes.askAll(node.url, "eth_sendRawTransaction", [bytes]);
  deps.crash?.("broadcast:after");
  const result = mergeResults(answers.map((answer) => parseBroadcastAnswer(answer, hash)));
  const strange = answers.find((answer) => parseBroadcastAnswer(answer, hash).kind === "refused");
  if (strange?.kind === "error" && !isConclusive(result)) {
    deps.alarm("unknown-answer", { hash, code: strange.code, answer: strange.message });
  }
  return result;
}

/** Results that leave a request "signed". The others count as broadcast: resubmit goes on from there by time and fee. */
const NOT_TAKEN: readonly BroadcastResult["kind"][] = [
  "insufficient-funds",
  "never-minable",
  "later",
  "refused",
];

/** Stores a result, in the database and in the cycle's own copies. */
async function storeResult(
  { deps, wallet }: Cycle,
  request: InFlight,
  attempt: Attempt,
  result: BroadcastResult,
): Promise<void> {
  const fresh = result.kind === "taken" && result.fresh;
  const answer = answerText(result);
  const nowMs = deps.now();
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.send_attempt SET broadcasts = broadcasts + 1, taken = taken + $2, answer = $3,
         refusals = CASE $3 WHEN 'refused' THEN refusals + 1 WHEN 'taken' THEN 0 ELSE refusals END,
         first_broadcast_at = coalesce(first_broadcast_at, to_timestamp($4 / 1000.0)),
         last_broadcast_at = to_timestamp($4 / 1000.0)
       WHERE attempt_id = $1`,
      [attempt.attemptId, fresh ? 1 : 0, answer, nowMs],
    );
    if (NOT_TAKEN.includes(result.kind)) return;
    const { rowCount } = await tx.query(
      `UPDATE app.send_request SET state = 'broadcast', broadcast_at = coalesce(broadcast_at, now())
       WHERE request_id = $1 AND state = 'signed'`,
      [request.requestId],
    );
    if (rowCount) await notify(tx, request.requestId);
  });
  attempt.broadcasts += 1;
  attempt.taken += fresh ? 1 : 0;
  if (answer === "refused") attempt.refusals += 1;
  if (answer === "taken") attempt.refusals = 0;
  attempt.answer = answer;
  attempt.firstBroadcastMs ??= nowMs;
  attempt.lastBroadcastMs = nowMs;
  if (!NOT_TAKEN.includes(result.kind) && request.state === "signed") request.state = "broadcast";
}

/** Returns what is stored of a result, and read again by next-action.ts. */
function answerText(result: BroadcastResult): string {
  return result.kind === "never-minable" && result.because === "size" ? "oversized" : result.kind;
}
