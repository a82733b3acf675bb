import type { RpcAnswer } from "../../chain/rpc.ts";
import type { FillReason } from "../outbox/rows.ts";
import { broadcastAll } from "./broadcast.ts";
import { refused } from "./cancellation.ts";
import { type Cycle, halt } from "./context.ts";
import type { SenderDeps } from "./deps.ts";
import { bumpFees, highestFees } from "./fees.ts";
import { estimateTransfer, fillerGas } from "./filler-gas.ts";
import { type NextAction, nextAction } from "./next-action.ts";
import { CallRefused } from "./router-call.ts";
import { addAttempt } from "./sign.ts";
import type { InFlight } from "./store.ts";
import { verifyCall } from "./verify-call.ts";

/**
 * Resubmits requests that are signed and not mined: sends bytes again, raises fees of those that wait too long, and fills nonces
 * of requests that must stop.
 */
export async function resubmit(cycle: Cycle): Promise<void> {
  const { deps, accountNonce } = cycle;
  let estimate: Promise<bigint | null> | null = null;
  const transferGas = () => {
    estimate ??= estimateTransfer(cycle);
    return estimate;
  };
  const due: InFlight[] = [];
  for (const request of cycle.inFlight) {
    const context = { nowMs: deps.now(), first: request.nonce === accountNonce };
    const decided = await resolveLookUp(cycle, request, nextAction(request, context, deps.config));
    const action = refuseBump(cycle, request, decided);
    if (action.kind === "nothing") continue;
    if (action.kind === "hopeless") {
      await halt(cycle, `nonce ${request.nonce} cannot even be filled (request ${request.requestId})`);
      return;
    }
    if (action.kind === "send" || (await raiseFee(cycle, request, action, transferGas))) due.push(request);
  }
  await broadcastAll(cycle, due);
}

type ResolvedAction = Exclude<NextAction, { kind: "look-up" }>;

/** Resolves a look-up: a filler only where each usable node answers that it knows no attempt. */
async function resolveLookUp(
  { wallet, node }: Cycle,
  request: InFlight,
  action: NextAction,
): Promise<ResolvedAction> {
  if (action.kind !== "look-up") return action;
  const isNone = (answer: RpcAnswer): boolean => answer.kind === "result" && answer.value === null;
  for (const { hash } of request.attempts) {
    const answers = await wallet.nodes.askAll(node.url, "eth_getTransactionByHash", [hash]);
    if (!answers.every(isNone)) return action.otherwise;
  }
  return { kind: "fill", reason: action.reason };
}

/** Fills the nonce of a request whose call may no longer be signed, as after a change of the deployments file. */
function refuseBump({ deps, wallet }: Cycle, request: InFlight, action: ResolvedAction): ResolvedAction {
  if (action.kind !== "bump" || request.attempts.at(-1)?.kind === "filler") return action;
  try {
    verifyCall(request, wallet.signer.address, deps.rules);
    return action;
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    refused(deps, request, error.message);
    return { kind: "fill", reason: "CHAIN_REVERT" };
  }
}

/**
 * Stores an attempt at a higher fee.
 * @returns true where there are bytes to broadcast
 */
async function raiseFee(
  cycle: Cycle,
  request: InFlight,
  action: { kind: "bump" } | { kind: "fill"; reason: FillReason },
  transferGas: () => Promise<bigint | null>,
): Promise<boolean> {
  const { deps, wallet } = cycle;
  // Neither a failing estimate nor a cap may keep the stored bytes from the nodes.
  const suggested = await cycle.fetchFees().catch(() => null);
  if (!suggested) return isRebroadcastDue(request, deps);
  const highest = highestFees(request.attempts);
  const bumped = bumpFees(highest, suggested, deps.config);
  if (!bumped) deps.alarm("fee-cap", { requestId: request.requestId, nonce: request.nonce.toString() });
  // Where no node has the call, its filler need not offer more than the call did.
  const fees = bumped ?? (action.kind === "fill" ? highest : null);
  if (!fees) return isRebroadcastDue(request, deps);
  const newest = request.attempts.at(-1);
  const kind = action.kind === "fill" ? "filler" : (newest?.kind ?? "call");
  const gasLimit =
    action.kind === "fill" ? fillerGas(request, await transferGas()) : (newest?.gasLimit ?? request.gasLimit);
  if (gasLimit === null) return isRebroadcastDue(request, deps);
  if (action.kind === "fill") {
    await deps.store.underLease(wallet, (tx) => tx.storeFillReason(request.requestId, action.reason));
    request.fillReason ??= action.reason;
  }
  if (!(await addAttempt(cycle, request, kind, { ...fees, gasLimit })))
    return isRebroadcastDue(request, deps);
  deps.log.info(
    {
      requestId: request.requestId,
      nonce: request.nonce.toString(),
      kind,
      maxFeePerGas: fees.maxFeePerGas.toString(),
    },
    action.kind === "fill" ? "filling a nonce" : "raising a fee",
  );
  return true;
}

function isRebroadcastDue(request: InFlight, deps: SenderDeps): boolean {
  const last = request.attempts.at(-1)?.lastBroadcastMs ?? null;
  return last === null || deps.now() - last >= deps.config.rebroadcastMs;
}
