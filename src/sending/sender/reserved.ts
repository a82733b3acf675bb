import { broadcastAll } from "./broadcast.ts";
import { endingOf, refused } from "./cancellation.ts";
import { WITHOUT_DELEGATION } from "./cancellation-store.ts";
import type { Cycle } from "./context.ts";
import { estimateTransfer, fillerGas } from "./filler-gas.ts";
import { CallRefused } from "./router-call.ts";
import { type Reservation, reservedFees, signReserved } from "./sign.ts";
import type { InFlight } from "./store.ts";
import { verifyCall } from "./verify-call.ts";

/** Returns true for a request whose nonce is reserved, and for which nothing is signed. */
export const isReserved = ({ state }: Pick<InFlight, "state">): boolean => state === "reserved";

/**
 * Signs and broadcasts requests whose nonces an earlier cycle, or another worker, has reserved: it died, or the key could not sign. The
 * nonce stays with its request. A call that must not be signed any more has its nonce filled.
 * @param isHalted signs fillers alone
 */
export async function finishReserved(cycle: Cycle, isHalted: boolean): Promise<void> {
  const reserved = await recheck(cycle, cycle.inFlight.filter(isReserved));
  const reservations: Reservation[] = [];
  for (const request of reserved) {
    const reservation = await reservationOf(cycle, request);
    if (!reservation || (isHalted && reservation.payload.call !== "filler")) break;
    reservations.push(reservation);
  }
  if (reservations.length === 0) return;
  await broadcastAll(cycle, await signReserved(cycle, reservations));
}

/**
 * Decides again on reserved requests, as before a nonce is reserved, and stores why those that must not be signed are filled.
 * @returns those that are still reserved, in the given order
 */
async function recheck({ deps, wallet }: Cycle, requests: readonly InFlight[]): Promise<InFlight[]> {
  if (requests.length === 0) return [];
  const reasons = await deps.store.underLease(wallet, async (tx) => {
    await tx.lockDelegations(requests.filter(({ operation }) => !WITHOUT_DELEGATION.includes(operation)));
    const standings = await tx.lockReserved(requests.map(({ requestId }) => requestId));
    const found = new Map<string, InFlight["fillReason"]>();
    for (const request of requests) {
      const standing = standings.get(request.requestId);
      if (!standing) continue;
      const ending = request.fillReason ? null : endingOf(deps, request, standing);
      if (ending) await tx.storeFillReason(request.requestId, ending.errCode);
      found.set(request.requestId, request.fillReason ?? ending?.errCode ?? null);
    }
    return found;
  });
  return requests.flatMap((request) => {
    const fillReason = reasons.get(request.requestId);
    return fillReason === undefined ? [] : [Object.assign(request, { fillReason })];
  });
}

/** Returns what is signed for a reserved request; null where the gas of its filler is not known now. */
async function reservationOf(cycle: Cycle, request: InFlight): Promise<Reservation | null> {
  const { requestId, nonce, gasLimit } = request;
  const fees = reservedFees(request);
  if (request.fillReason === null) {
    try {
      const call = verifyCall(request, cycle.wallet.signer.address, cycle.deps.rules);
      return { request, payload: { requestId, nonce, call, terms: { ...fees, gasLimit } } };
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      const { errCode } = refused(cycle.deps, request, error.message);
      await cycle.deps.store.underLease(cycle.wallet, (tx) => tx.storeFillReason(requestId, errCode));
      request.fillReason = errCode;
    }
  }
  const gas = fillerGas(request, await estimateTransfer(cycle));
  if (gas === null) return null;
  return { request, payload: { requestId, nonce, call: "filler", terms: { ...fees, gasLimit: gas } } };
}
