import { notify } from "../outbox/end.ts";
import {
  type BroadcastResult,
  isConclusive,
  mergeResults,
  parseBroadcastAnswer,
} from "./broadcast-result.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import { LeaseLost, setWalletState, underLease } from "./lease.ts";
import type { Node } from "./nodes.ts";
import type { RpcAnswer } from "./rpc.ts";
import type { Attempt, InFlight } from "./store.ts";

/**
 * Sends stored bytes, one request after the other in the order of nonces, and stores what came of it. Stops at the first
 * that no node answered for, or has room for: what follows would only queue behind it.
 */
export async function broadcastAll(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  requests: readonly InFlight[],
): Promise<void> {
  for (const request of requests) {
    const attempt = newestSigned(request);
    if (!attempt) continue;
    const meaning = await broadcast(deps, wallet, node, attempt);
    await storeMeaning(deps, wallet, request, attempt, meaning);
    deps.crash?.("taken:after-commit");
    if (meaning.kind === "insufficient-funds") {
      await pause(deps, wallet, "insufficient funds");
      return;
    }
    if (meaning.kind === "unknown" || meaning.kind === "later") return;
  }
}

/** The attempt with the highest fee, which is always the newest. */
export function newestSigned(
  request: InFlight,
): (Attempt & { signed: NonNullable<Attempt["signed"]> }) | null {
  for (const attempt of [...request.attempts].reverse()) {
    if (attempt.signed) return { ...attempt, signed: attempt.signed };
  }
  return null;
}

/**
 * Sends bytes to one node after the other until one gives an answer that means something; again and again, to all of them:
 * one that takes everything and passes nothing on must not be the only one that has them.
 */
async function broadcast(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  attempt: Attempt & { signed: NonNullable<Attempt["signed"]> },
): Promise<BroadcastResult> {
  const { bytes, hash } = attempt.signed;
  deps.crash?.("broadcast:before");
  const enough = (answer: RpcAnswer): boolean => isConclusive(parseBroadcastAnswer(answer, hash));
  const answers =
    attempt.broadcasts === 0
      ? await wallet.nodes.askUntil(node.url, "eth_sendRawTransaction", [bytes], enough)
      : await wallet.nodes.askAll(node.url, "eth_sendRawTransaction", [bytes]);
  deps.crash?.("broadcast:after");
  const meaning = mergeResults(answers.map((answer) => parseBroadcastAnswer(answer, hash)));
  const strange = answers.find((answer) => parseBroadcastAnswer(answer, hash).kind === "refused");
  if (strange?.kind === "error" && !isConclusive(meaning)) {
    deps.alarm("unknown-answer", { hash, code: strange.code, answer: strange.message });
  }
  return meaning;
}

/** Answers after which nobody has the bytes, unless an earlier attempt was taken. */
const NOT_TAKEN: readonly BroadcastResult["kind"][] = [
  "insufficient-funds",
  "never-minable",
  "later",
  "refused",
];

async function storeMeaning(
  deps: SenderDeps,
  wallet: Wallet,
  request: InFlight,
  attempt: Attempt,
  meaning: BroadcastResult,
): Promise<void> {
  const fresh = meaning.kind === "taken" && meaning.fresh;
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      `UPDATE app.send_attempt SET broadcasts = broadcasts + 1, taken = taken + $2, answer = $3,
         refusals = CASE $3 WHEN 'refused' THEN refusals + 1 WHEN 'taken' THEN 0 ELSE refusals END,
         first_broadcast_at = coalesce(first_broadcast_at, to_timestamp($4 / 1000.0)),
         last_broadcast_at = to_timestamp($4 / 1000.0)
       WHERE attempt_id = $1`,
      [attempt.attemptId, fresh ? 1 : 0, answerText(meaning), deps.now()],
    );
    if (NOT_TAKEN.includes(meaning.kind)) return;
    const { rowCount } = await tx.query(
      `UPDATE app.send_request SET state = 'broadcast', broadcast_at = coalesce(broadcast_at, now()), updated_at = now()
       WHERE request_id = $1 AND state = 'signed'`,
      [request.requestId],
    );
    if (rowCount) await notify(tx, request.requestId);
  });
}

/** What is stored of an answer, and read again by next-action.ts. */
function answerText(meaning: BroadcastResult): string {
  return meaning.kind === "never-minable" && meaning.because === "size" ? "oversized" : meaning.kind;
}

/** Keeps the queue and stops sending; the wallet resumes by itself once it has funds again. */
export async function pause(deps: SenderDeps, wallet: Wallet, reason: string): Promise<void> {
  await stop(deps, wallet, "paused", reason);
}

/** Stops a wallet until a person has looked. */
export async function halt(deps: SenderDeps, wallet: Wallet, reason: string): Promise<void> {
  await stop(deps, wallet, "halted", reason);
}

async function stop(
  deps: SenderDeps,
  wallet: Wallet,
  state: "paused" | "halted",
  reason: string,
): Promise<void> {
  try {
    await setWalletState(deps.pool, wallet, state, reason);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    throw error;
  }
  const fields = { chainId: wallet.nodes.chainId, wallet: wallet.signer.address, reason };
  deps.alarm(state === "halted" ? "wallet-halted" : "wallet-paused", fields);
}
