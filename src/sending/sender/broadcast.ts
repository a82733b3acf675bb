import type { RpcAnswer } from "../../chain/rpc.ts";
import { inSpans } from "../../telemetry/tracing.ts";
import {
  type BroadcastResult,
  isConclusive,
  mergeResults,
  parseBroadcastAnswer,
} from "./broadcast-result.ts";
import { type Cycle, pause } from "./context.ts";
import { spanOf } from "./spans.ts";
import type { Attempt, InFlight } from "./store.ts";

/** Newest bytes of a request. */
interface Outgoing {
  request: InFlight;
  attempt: Attempt;
}

/** The nodes' results for some bytes. */
export interface Broadcast extends Outgoing {
  result: BroadcastResult;
}

/**
 * Broadcasts the newest bytes of requests in the order of nonces, as many as possible in one request to a node, and stores the
 * results of each such group together. Stops after a group with a request that nodes had no room for, or did not answer: later
 * ones would only queue behind it.
 * @returns false where it stopped
 */
export async function broadcastAll(cycle: Cycle, requests: readonly InFlight[]): Promise<boolean> {
  for (const group of groupsOf(requests)) {
    const broadcasts = await inSpans(
      "broadcast",
      group.map(({ request }) => spanOf(request)),
      async () => {
        const sent = await broadcast(cycle, group);
        await storeAll(cycle, sent);
        return sent;
      },
    );
    cycle.deps.crash?.("broadcast-result:after-commit");
    if (broadcasts.some(({ result }) => result.kind === "insufficient-funds")) {
      await pause(cycle, "insufficient funds");
      return false;
    }
    // A call that was not sent comes after one without an answer, which is "unknown".
    if (broadcasts.some(({ result }) => result.kind === "unknown" || result.kind === "later")) return false;
  }
  return true;
}

/** Splits requests where first and repeated broadcasts alternate, and keeps their order: the two go to different nodes. */
function groupsOf(requests: readonly InFlight[]): Outgoing[][] {
  const groups: Outgoing[][] = [];
  for (const request of requests) {
    const attempt = request.attempts.at(-1);
    if (!attempt) continue;
    const group = groups.at(-1);
    if (group && isFirst(group[0]) === isFirst({ attempt })) group.push({ request, attempt });
    else groups.push([{ request, attempt }]);
  }
  return groups;
}

const isFirst = (outgoing: Pick<Outgoing, "attempt"> | undefined): boolean =>
  outgoing?.attempt.broadcasts === 0;

/**
 * Sends bytes to one node after the other until one answers conclusively. Repeated bytes go to all nodes: a node that takes
 * everything and passes nothing on must not be the only one that has them.
 * @returns the results of all bytes that were sent to a node
 */
async function broadcast({ deps, wallet, node }: Cycle, group: readonly Outgoing[]): Promise<Broadcast[]> {
  deps.crash?.("broadcast:before");
  const calls = group.map(({ attempt }) => ({ method: "eth_sendRawTransaction", params: [attempt.bytes] }));
  const read = (answer: RpcAnswer, index: number): BroadcastResult =>
    parseBroadcastAnswer(answer, group[index]?.attempt.hash ?? "");
  const answers = isFirst(group[0])
    ? await wallet.nodes.sendUntil(node.url, calls, (answer, index) => isConclusive(read(answer, index)))
    : await wallet.nodes.sendAll(node.url, calls);
  deps.crash?.("broadcast:after");
  return group.flatMap((outgoing, index) => {
    const given = answers[index] ?? [];
    if (given.length === 0) return [];
    const result = mergeResults(given.map((answer) => read(answer, index)));
    const strange = given.find((answer) => read(answer, index).kind === "refused");
    if (strange?.kind === "error" && !isConclusive(result)) {
      const { hash } = outgoing.attempt;
      deps.alarm("unknown-answer", { hash, code: strange.code, answer: strange.message });
    }
    return [{ ...outgoing, result }];
  });
}

/** Results that leave a request "signed". All others count as broadcast: resubmit continues by time and fee. */
const NOT_TAKEN: readonly BroadcastResult["kind"][] = [
  "insufficient-funds",
  "never-minable",
  "later",
  "refused",
];

/** Stores results, in the database and in the cycle's own copies. */
async function storeAll({ deps, wallet }: Cycle, broadcasts: readonly Broadcast[]): Promise<void> {
  const nowMs = deps.now();
  const changes = broadcasts.map(({ request, attempt, result }) => ({
    request,
    attempt,
    outcome: {
      attemptId: attempt.attemptId,
      isFresh: result.kind === "taken" && result.fresh,
      answer: answerText(result),
      isBroadcast: !NOT_TAKEN.includes(result.kind),
    },
  }));
  const outcomes = changes.map(({ outcome }) => outcome);
  await deps.store.underLease(wallet, (tx) => tx.storeResults(outcomes, nowMs));
  for (const { request, attempt, outcome } of changes) {
    attempt.broadcasts += 1;
    attempt.taken += outcome.isFresh ? 1 : 0;
    if (outcome.answer === "refused") attempt.refusals += 1;
    if (outcome.answer === "taken") attempt.refusals = 0;
    attempt.answer = outcome.answer;
    attempt.firstBroadcastMs ??= nowMs;
    attempt.lastBroadcastMs = nowMs;
    if (outcome.isBroadcast && request.state === "signed") {
      request.state = "broadcast";
      deps.onReached?.("broadcast", wallet.nodes.chainId, (nowMs - request.acceptedAtMs) / 1000);
    }
  }
}

/** Returns the stored form of a result, which next-action.ts reads. */
function answerText(result: BroadcastResult): string {
  return result.kind === "never-minable" && result.because === "size" ? "oversized" : result.kind;
}
