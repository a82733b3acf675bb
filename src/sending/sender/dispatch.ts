import type { Ending } from "../outbox/end-store.ts";
import type { SendRow } from "../outbox/rows.ts";
import { type Appraised, appraiseAll } from "./appraise.ts";
import { broadcastAll } from "./broadcast.ts";
import { refused } from "./cancellation.ts";
import { type Cycle, pause } from "./context.ts";
import { readDelegations } from "./delegations.ts";
import { type Fees, highestFees } from "./fees.ts";
import { resimulate } from "./replay.ts";
import { isReserved } from "./reserved.ts";
import { CallRefused } from "./router-call.ts";
import { reservedFees, signRequests } from "./sign.ts";
import type { InFlight } from "./store.ts";
import { type Verified, verifyCall } from "./verify-call.ts";

/** Number of requests signed before the first of them is broadcast. Signing one takes about a millisecond. */
const GROUP = 32;
/** More than the gas of an ordinary call: a wallet that can pay for it takes requests, whatever else it cannot pay for. */
const SPARE_GAS = 500_000n;
const GAS_MAX = 2n ** 63n - 1n;
/** Keys whose turn is kept; a key that is not kept comes first. */
const ROUND_ROBIN_MAX = 1_000;

/** Returns the maximum cost of requests in flight, wei. */
export function worstCaseCost(requests: readonly InFlight[]): bigint {
  return requests.reduce(
    (sum, { gasLimit, attempts, ...request }) =>
      sum + gasLimit * highestFees([reservedFees(request), ...attempts]).maxFeePerGas,
    0n,
  );
}

/** Returns true where so much wei is enough for an ordinary call, or for any waiting request. */
export async function canAffordNext(
  { deps, wallet }: Cycle,
  wei: bigint,
  { maxFeePerGas }: Fees,
): Promise<boolean> {
  if (wei < 0n) return false;
  if (wei >= SPARE_GAS * maxFeePerGas) return true;
  return (await deps.store.nextAccepted(wallet, gasFor(wei, maxFeePerGas), [], [], 1)).length > 0;
}

/**
 * Signs waiting requests and broadcasts them, a group at a time. Keys take served, and each key's requests go in the order of
 * arrival; one that costs more than the wallet has is skipped until it has more. Neither a caller's gas limit nor their thousand
 * requests may delay the others.
 */
export async function dispatch(cycle: Cycle): Promise<void> {
  const { deps } = cycle;
  for (let first = true; ; first = false) {
    // Nothing gets a nonce behind one whose transaction is not signed.
    if (cycle.inFlight.some(isReserved)) return;
    const room = Math.min(GROUP, deps.config.inFlightMax - cycle.inFlight.length);
    if (room <= 0) return;
    const fees = await cycle.fetchFees();
    if (first && cycle.isFull) await alarmUnaffordable(cycle, fees);
    const { hasProgressed, isDrained } = await signGroup(cycle, room, fees);
    if (!hasProgressed) return pauseIfBroke(cycle, fees);
    const fresh = cycle.inFlight.filter(({ attempts }) =>
      attempts.every(({ broadcasts }) => broadcasts === 0),
    );
    const isSent = await broadcastAll(cycle, fresh);
    const unsent = cycle.inFlight.some(({ state }) => state === "signed");
    if (!isSent || unsent || isDrained) return;
  }
}

async function pauseIfBroke(cycle: Cycle, fees: Fees): Promise<void> {
  const { deps, wallet, balance, inFlight } = cycle;
  if (inFlight.length > 0 || (await canAffordNext(cycle, balance, fees))) return;
  if (await deps.store.findAbove(wallet, 0n)) await pause(cycle, "insufficient funds");
}

/**
 * Signs up to `room` requests.
 * @returns whether any was signed or ended, and whether none waits any more, as far as this group shows
 */
async function signGroup(
  cycle: Cycle,
  room: number,
  fees: Fees,
): Promise<{ hasProgressed: boolean; isDrained: boolean }> {
  const { deps, wallet, balance, state } = cycle;
  const gasAtMost = gasFor(balance, fees.maxFeePerGas);
  const next = await deps.store.nextAccepted(wallet, gasAtMost, deferred(cycle), state.roundRobin, room);
  const verified = await failRefused(cycle, next);
  const delegated = await deferUndelegated(cycle, verified);
  const appraised = await deferUnappraised(cycle, delegated);
  const valid = await failReverting(cycle, appraised);
  // A request in flight frees its share once it is mined.
  let left = balance - worstCaseCost(cycle.inFlight);
  const group: Appraised[] = [];
  for (const request of valid) {
    left -= request.gasLimit * fees.maxFeePerGas;
    if (left < 0n) break;
    group.push(request);
  }
  const hasSigned = group.length > 0 && (await signRequests(cycle, group, fees));
  const served = hasSigned ? group.map(({ keyId }) => keyId) : [];
  state.roundRobin = rotated(state.roundRobin, served);
  // With several keys, one may have more than its share of the group.
  const isDrained = next.length < room && new Set(next.map(({ keyId }) => keyId)).size < 2;
  return { hasProgressed: hasSigned || valid.length < next.length, isDrained };
}

/** Moves keys that had a turn to the end, in the order of their last served. */
function rotated(roundRobin: readonly string[], served: readonly string[]): string[] {
  const latestFirst = new Set([...roundRobin, ...served].reverse());
  return [...latestFirst].reverse().slice(-ROUND_ROBIN_MAX);
}

/** Returns the gas that the wei pays for. */
function gasFor(wei: bigint, maxFeePerGas: bigint): bigint {
  if (maxFeePerGas === 0n) return GAS_MAX;
  const gas = wei / maxFeePerGas;
  return gas < GAS_MAX ? gas : GAS_MAX;
}

/** Raises the alarm where a request waits for funds that the wallet lacks. */
async function alarmUnaffordable({ deps, wallet, balance }: Cycle, { maxFeePerGas }: Fees): Promise<void> {
  const request = await deps.store.findAbove(wallet, gasFor(balance, maxFeePerGas));
  if (!request) return;
  deps.alarm("unaffordable", {
    chainId: wallet.nodes.chainId,
    wallet: wallet.signer.address,
    requestId: request.requestId,
    costWei: (request.gasLimit * maxFeePerGas).toString(),
    balanceWei: balance.toString(),
  });
}

/**
 * Fails requests whose calls may not be signed, and raises the alarm.
 * @returns the others, in the given order
 */
async function failRefused<R extends SendRow>(cycle: Cycle, requests: readonly R[]): Promise<Verified<R>[]> {
  const { deps, wallet } = cycle;
  const verified: Verified<R>[] = [];
  const endings = new Map<string, Ending>();
  for (const request of requests) {
    try {
      verified.push(verifyCall(request, wallet.signer.address, deps.rules));
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      endings.set(request.requestId, refused(deps, request, error.message));
    }
  }
  await endAccepted(cycle, endings);
  return verified;
}

/** Pause of a request that waits for something other than funds. */
const DEFER_MS = 1_000;

/** Returns the requests that are still skipped. */
function deferred({ deps, state }: Cycle): string[] {
  for (const [requestId, untilMs] of state.deferred)
    if (untilMs <= deps.now()) state.deferred.delete(requestId);
  return [...state.deferred.keys()];
}

/**
 * Skips requests whose users have not delegated to the wallet on the chain: a node may lag behind an enable. Cancels those that
 * have waited long.
 * @returns the others, in the given order
 */
async function deferUndelegated<R extends SendRow>(cycle: Cycle, requests: readonly R[]): Promise<R[]> {
  const { deps, state } = cycle;
  const delegations = await readDelegations(cycle, requests);
  const isInForce = ({ requestId }: R): boolean => delegations.get(requestId) === "in-force";
  const endings = new Map<string, Ending>();
  for (const { requestId, acceptedAtMs } of requests.filter((request) => !isInForce(request))) {
    state.deferred.set(requestId, deps.now() + DEFER_MS);
    const isLate = deps.now() - acceptedAtMs >= deps.config.resimulateAfterMs;
    if (isLate && delegations.get(requestId) === "none") endings.set(requestId, UNDELEGATED);
  }
  await endAccepted(cycle, endings);
  return requests.filter(isInForce);
}

/**
 * Skips requests that cannot be valued now, where a policy of their key requires it: orders wait for a quote until their
 * deadline.
 * @returns the others, in the given order
 */
async function deferUnappraised<R extends SendRow & { isLimited: boolean }>(
  { deps, state }: Cycle,
  requests: readonly Verified<R>[],
): Promise<Appraised<R>[]> {
  const appraised = await appraiseAll(deps.facts, requests);
  const isOpen = ({ isLimited, appraisal }: Appraised<R>): boolean => isLimited && appraisal === null;
  for (const { requestId } of appraised.filter(isOpen)) state.deferred.set(requestId, deps.now() + DEFER_MS);
  return appraised.filter((request) => !isOpen(request));
}

const UNDELEGATED: Ending = {
  state: "canceled",
  errCode: "DELEGATION_NOT_ENABLED",
  reason: "the chain has no delegation to its wallet",
};

/**
 * Simulates long-waiting requests again, and fails those that can no longer succeed, so that they cost no gas. Leaves a disable
 * alone: the delegation it ends may not be mined yet, and its simulation would find nothing to end.
 * @returns the others, in the given order
 */
async function failReverting<R extends SendRow>(cycle: Cycle, requests: readonly R[]): Promise<R[]> {
  const { deps, node } = cycle;
  const { resimulateAfterMs } = deps.config;
  const waited = requests.filter(
    ({ operation, acceptedAtMs }) =>
      operation !== "1ct/disable" && deps.now() - acceptedAtMs >= resimulateAfterMs,
  );
  const failures = await resimulate(node, waited);
  const reason = "reverts before it was signed";
  const endings = [...failures].map(
    ([requestId, why]) => [requestId, { state: "failed", ...why, reason }] as const,
  );
  await endAccepted(cycle, new Map(endings));
  return requests.filter(({ requestId }) => !failures.has(requestId));
}

/** Ends those of the requests that still wait for a nonce. */
async function endAccepted({ deps, wallet }: Cycle, endings: ReadonlyMap<string, Ending>): Promise<void> {
  if (endings.size === 0) return;
  await deps.store.underLease(wallet, async (tx) => {
    const standing = await tx.lockAccepted([...endings.keys()]);
    for (const [requestId, ending] of endings)
      if (standing.has(requestId)) await tx.endRequest(requestId, ending);
  });
}
