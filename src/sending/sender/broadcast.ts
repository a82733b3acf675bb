import type { RpcAnswer } from "../../chain/rpc.ts";
import { inSpans } from "../../telemetry/tracing.ts";
import {
  type BroadcastResult,
  isConclusive,
  mergeResults,
  parseBroadcastAnswer,
} from "./broadcast-result.ts";
import { storeResults } from "./broadcast-store.ts";
import { type Cycle, pause } from "./context.ts";
import { underLease } from "./lease.ts";
import { spanOf } from "./spans.ts";
import type { Attempt, InFlight } from "./store.ts";

/** The newest bytes of a request. */
interface Outgoing {
  request: InFlight;
  attempt: Attempt;
}

/** The nodes' results for some bytes. */
export interface Broadcast extends Outgoing {
  result: BroadcastResult;
}

/**
 * Broadcasts the newest bytes of requests in the order of nonces, as many as possible in one request to a node, and stores
 * the results of each such group together. Stops after a group of which nodes had no room for one, or gave no answer to
 * one: what follows would only queue behind it.
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
    const stuck = broadcasts.some(({ result }) => result.kind === "unknown" || result.kind === "later");
    if (stuck || broadcasts.length < group.length) return false;
  }
  return true;
}

/** Divides requests where first broadcasts and repeated ones alternate, and keeps their order: the two go to different nodes. */
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
 * Sends bytes to one node after the other until one answers conclusively. Bytes that go out again go to all of them: a
 * node that takes everything and passes nothing on must not be the only one that has them.
 * @returns the results, without those of bytes that no node was sent
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

/** Results that leave a request "signed". The others count as broadcast: resubmit goes on from there by time and fee. */
const NOT_TAKEN: readonly BroadcastResult["kind"][] = [
  "insufficient-funds",
  "never-minable",
  "later",
  "refused",
];

/** Stores results, in the database and in the cycle's own copies. */
async function storeAll({ deps, wallet }: Cycle, broadcasts: readonly Broadcast[]): Promise<void> {
  if (broadcasts.length === 0) return;
  const nowMs = deps.now();
  const outcomes = broadcasts.map(({ attempt, result }) => ({
    attemptId: attempt.attemptId,
    isFresh: result.kind === "taken" && result.fresh,
    answer: answerText(result),
    isBroadcast: !NOT_TAKEN.includes(result.kind),
  }));
  await underLease(deps.pool, wallet, (tx) => storeResults(tx, outcomes, nowMs));
  for (const [index, { request, attempt }] of broadcasts.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
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

/** Returns what is stored of a result, and read again by next-action.ts. */
function answerText(result: BroadcastResult): string {
  return result.kind === "never-minable" && result.because === "size" ? "oversized" : result.kind;
}
