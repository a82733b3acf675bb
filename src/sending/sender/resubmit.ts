import type { FillReason } from "../outbox/rows.ts";
import { broadcastAll, halt } from "./broadcast.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import { bumpFees, type Fees, highestFees } from "./fees.ts";
import { underLease } from "./lease.ts";
import { type NextAction, nextAction } from "./next-action.ts";
import type { Node } from "./nodes.ts";
import type { RpcAnswer } from "./rpc.ts";
import { addAttempt } from "./sign.ts";
import { type InFlight, readUnmined } from "./store.ts";

/**
 * Looks after what is signed and not mined: bytes go out again, at a higher fee where they wait too long, and nonces of
 * requests that must stop are filled.
 * @param suggest what a new transaction would offer now; it may fail, and then the stored bytes go out again
 */
export async function resubmit(
  deps: SenderDeps,
  wallet: Wallet,
  node: Node,
  requests: readonly InFlight[],
  accountNonce: bigint,
  suggest: () => Promise<Fees>,
): Promise<void> {
  const due = new Set<string>();
  for (const request of requests) {
    const moment = { nowMs: deps.now(), first: request.nonce === accountNonce };
    const care = await resolveLookUp(wallet, node, request, nextAction(request, moment, deps.config));
    if (care.kind === "nothing") continue;
    if (care.kind === "hopeless") {
      await halt(deps, wallet, `nonce ${request.nonce} cannot even be filled (request ${request.requestId})`);
      return;
    }
    if (care.kind === "send") due.add(request.requestId);
    else if (await raiseFee(deps, wallet, request, care, suggest)) due.add(request.requestId);
  }
  if (due.size === 0) return;
  const again = await readUnmined(deps.pool, wallet);
  await broadcastAll(
    deps,
    wallet,
    node,
    again.filter(({ requestId }) => due.has(requestId)),
  );
}

type ResolvedAction = Exclude<NextAction, { kind: "look-up" }>;

/** Turns "look up" into what usable nodes make of it: a filler only where each says that it knows no attempt. */
async function resolveLookUp(
  wallet: Wallet,
  node: Node,
  request: InFlight,
  care: NextAction,
): Promise<ResolvedAction> {
  if (care.kind !== "look-up") return care;
  const isNone = (answer: RpcAnswer): boolean => answer.kind === "result" && answer.value === null;
  for (const { signed } of request.attempts) {
    if (!signed) continue;
    const answers = await wallet.nodes.askAll(node.url, "eth_getTransactionByHash", [signed.hash]);
    if (!answers.every(isNone)) return care.otherwise;
  }
  return { kind: "fill", reason: care.reason };
}

/** Stores an attempt at a higher fee. @returns whether something is to be broadcast */
async function raiseFee(
  deps: SenderDeps,
  wallet: Wallet,
  request: InFlight,
  care: { kind: "bump" } | { kind: "fill"; reason: FillReason },
  suggest: () => Promise<Fees>,
): Promise<boolean> {
  const suggested = await suggest().catch(() => null);
  // Neither an estimate that fails nor a cap may keep the stored bytes from the nodes.
  if (!suggested) return isDue(request, deps);
  const highest = highestFees(request.attempts);
  const bumped = bumpFees(highest, suggested, deps.config);
  if (!bumped) deps.alarm("fee-cap", { requestId: request.requestId, nonce: request.nonce.toString() });
  // Where nobody has the call, its filler need not offer more than it did.
  const fees = bumped ?? (care.kind === "fill" ? highest : null);
  if (!fees) return isDue(request, deps);
  if (care.kind === "fill") await storeFillReason(deps, wallet, request, care.reason);
  const kind = care.kind === "fill" ? "filler" : (request.attempts.at(-1)?.kind ?? "call");
  await addAttempt(deps, wallet, request, kind, fees);
  deps.log.info(
    {
      requestId: request.requestId,
      nonce: request.nonce.toString(),
      kind,
      maxFeePerGas: fees.maxFeePerGas.toString(),
    },
    care.kind === "fill" ? "filling a nonce" : "raising a fee",
  );
  return true;
}

function isDue(request: InFlight, deps: SenderDeps): boolean {
  const last = request.attempts.at(-1)?.lastBroadcastMs ?? null;
  return last === null || deps.now() - last >= deps.config.rebroadcastMs;
}

async function storeFillReason(
  deps: SenderDeps,
  wallet: Wallet,
  request: InFlight,
  reason: FillReason,
): Promise<void> {
  await underLease(deps.pool, wallet, async (tx) => {
    await tx.query(
      "UPDATE app.send_request SET fill_reason = $2, updated_at = now() WHERE request_id = $1 AND fill_reason IS NULL",
      [request.requestId, reason],
    );
  });
}
