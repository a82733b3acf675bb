import type { Ending } from "../outbox/end-store.ts";
import type { KeyPolicy } from "../outbox/policy-store.ts";
import type { FillReason, SendRow } from "../outbox/rows.ts";
import { type Standing, WITHOUT_DELEGATION } from "./cancellation-store.ts";
import type { SenderDeps } from "./deps.ts";
import type { SenderTx } from "./sender-store.ts";
import type { Wallet } from "./wallet.ts";

/** Canceled in one cycle; the rest follows in the next. */
const BATCH_SIZE = 100;

/**
 * Cancels requests without a nonce that must not be signed any more, in any state of the wallet: none may block those behind it,
 * and its caller learns of its end even while the wallet is stopped.
 */
export async function cancelUnsigned(deps: SenderDeps, wallet: Wallet): Promise<void> {
  const candidates = await deps.store.readCandidates(wallet, unixSeconds(deps), BATCH_SIZE);
  if (candidates.length === 0) return;
  await deps.store.underLease(wallet, (tx) => cancelOrLock(deps, tx, candidates));
}

/**
 * Locks requests that wait for a nonce, and cancels those that must not be signed any more. Takes the delegations' locks first
 * and the requests' after them, in the order of a disable.
 * @returns those that may be signed, in the given order, with the policies of their keys, and the number it canceled; a disable
 * may have canceled others
 */
export async function cancelOrLock<R extends SendRow>(
  deps: SenderDeps,
  tx: SenderTx,
  requests: readonly R[],
): Promise<{ signable: R[]; policies: Map<string, KeyPolicy>; canceled: number }> {
  await tx.lockDelegations(requests.filter(({ operation }) => !WITHOUT_DELEGATION.includes(operation)));
  const standings = await tx.lockAccepted(requests.map(({ requestId }) => requestId));
  const signable: R[] = [];
  const policies = new Map<string, KeyPolicy>();
  let canceled = 0;
  for (const request of requests) {
    const standing = standings.get(request.requestId);
    if (!standing) continue;
    if (standing.policy) policies.set(request.keyId, standing.policy);
    const ending = endingOf(deps, request, standing);
    if (ending) {
      await tx.endRequest(request.requestId, ending);
      canceled += 1;
    } else signable.push(request);
  }
  return { signable, policies, canceled };
}

const FOREIGN = "its key may not send for its user and product";

/** Returns the end of a request that must not be signed; null where it may be. */
export const endingOf = (deps: SenderDeps, request: SendRow, standing: Standing): Refusal | null =>
  standing.foreign ? refused(deps, request, FOREIGN) : findEnding(deps, request, standing);

/** An end for which a nonce can be filled as well. */
type Refusal = Ending & { errCode: FillReason };

/**
 * Raises the alarm of a request that must not be signed, whatever program wrote it.
 * @returns its end
 */
export function refused(
  { alarm }: Pick<SenderDeps, "alarm">,
  { requestId, wallet, operation }: SendRow,
  reason: string,
): Refusal {
  alarm("call-refused", { requestId, wallet, operation, reason });
  return { state: "failed", errCode: "INTERNAL", reason: `not signed: ${reason}` };
}

function findEnding(
  deps: SenderDeps,
  request: SendRow,
  { disabled, retired, revoked, killed }: Standing,
): Refusal | null {
  if (disabled) {
    return {
      state: "canceled",
      errCode: "DELEGATION_NOT_ENABLED",
      reason: "disabled before it was signed",
    };
  }
  if (request.deadline !== null && unixSeconds(deps) > request.deadline) {
    return {
      state: "canceled",
      errCode: "DEADLINE_EXPIRED",
      reason: "its deadline passed before it was signed",
    };
  }
  // A disable passes nevertheless: it protects the user.
  if (request.operation === "1ct/disable") return null;
  if (retired) {
    return {
      state: "canceled",
      errCode: "DELEGATION_NOT_ENABLED",
      reason: "its wallet was retired before it was signed",
    };
  }
  if (revoked) return { state: "canceled", errCode: "POLICY_REFUSED", reason: "its key was revoked" };
  if (killed) return { state: "canceled", errCode: "POLICY_REFUSED", reason: "the key's kill switch" };
  return null;
}

function unixSeconds({ now }: SenderDeps): bigint {
  return BigInt(Math.floor(now() / 1000));
}
