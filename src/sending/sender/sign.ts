import { inSpans } from "../../telemetry/tracing.ts";
import type { Appraised } from "./appraise.ts";
import { cancelOrLock } from "./cancellation.ts";
import { type Cycle, isBehind } from "./context.ts";
import type { Fees } from "./fees.ts";
import { holdToPolicies } from "./policy.ts";
import type { SenderTx } from "./sender-store.ts";
import { spanOf } from "./spans.ts";
import type { Attempt, InFlight } from "./store.ts";
import { verifyCall } from "./verify-call.ts";
import type { Wallet } from "./wallet.ts";
import { type Payload, signPayloads, type Terms } from "./wallet-key.ts";

const NOTHING = { reserved: [], canceled: 0 };

export type Signing = Pick<Cycle, "deps" | "wallet" | "state" | "inFlight">;

/**
 * Reserves nonces for requests, in their order, or cancels them; then signs them outside of any transaction, and stores the signed
 * bytes. Requests with a nonce join `cycle.inFlight`: as "signed", or as "reserved" where the key could not sign.
 * @returns true where any got a nonce or was canceled; false where all of them, or the wallet, changed meanwhile, or the chain is
 * halted
 */
export function signRequests(cycle: Signing, requests: readonly Appraised[], fees: Fees): Promise<boolean> {
  return inSpans("sign", requests.map(spanOf), async () => {
    const { reserved, canceled } = await reserve(cycle, requests, fees);
    cycle.inFlight.push(...reserved);
    if (reserved.length > 0) await signReserved(cycle, reserved.map(toReservation));
    return reserved.length + canceled > 0;
  });
}

type ReservedCall = Appraised & InFlight;

/** Assigns nonces in one transaction under the wallet's lock, with the fees that will be signed. */
async function reserve(
  { deps, wallet, state: driver }: Signing,
  requests: readonly Appraised[],
  fees: Fees,
): Promise<{ reserved: ReservedCall[]; canceled: number }> {
  const outcome = await deps.store.underLease(wallet, async (tx, { state, nextNonce }) => {
    if (state !== "active" || nextNonce === null) return NOTHING;
    // The next cycle asks the nodes first (cycle.ts).
    if (isBehind(driver, nextNonce)) return NOTHING;
    // Under the wallet's lock, in a statement of its own: after its commit, a halt waits for that lock (halt-store.ts).
    if (await tx.isHalted(wallet.nodes.chainId)) return NOTHING;
    const locked = await cancelOrLock(deps, tx, requests);
    const { signable, canceled } = await holdToPolicies(tx, locked.signable, locked.policies, deps.now());
    const reserved = signable.length > 0 ? await assign(tx, wallet, signable, nextNonce, fees) : [];
    deps.crash?.("reserve:before-commit");
    return { reserved, canceled: locked.canceled + canceled };
  });
  deps.crash?.("reserve:after-commit");
  const last = outcome.reserved.at(-1);
  if (last) driver.knownNonce = last.nonce + 1n;
  return outcome;
}

async function assign(
  tx: SenderTx,
  wallet: Wallet,
  requests: readonly Appraised[],
  first: bigint,
  fees: Fees,
): Promise<ReservedCall[]> {
  const numbered = requests.map((request, index) => ({ ...request, nonce: first + BigInt(index) }));
  // Stores 0 for a call that counts for no cap: with NULL, the day's total would use the row's value, which the api wrote.
  const notionals = requests.map(({ appraisal }) => appraisal && (appraisal.notional ?? 0n));
  await tx.reserveNonces(wallet, numbered, fees, notionals);
  return numbered.map((request) => ({
    ...request,
    state: "reserved",
    reservedMaxFee: fees.maxFeePerGas,
    reservedTip: fees.maxPriorityFeePerGas,
    attempts: [],
  }));
}

/** A reserved request, and what is signed with its nonce. */
export interface Reservation {
  request: InFlight;
  payload: Payload;
}

const toReservation = (request: ReservedCall): Reservation => ({
  request,
  payload: { ...request, call: request, terms: { ...reservedFees(request), gasLimit: request.gasLimit } },
});

/** Returns the fees that are reserved for a request's call; of any other request, none. */
export const reservedFees = ({
  reservedMaxFee,
  reservedTip,
}: Pick<InFlight, "reservedMaxFee" | "reservedTip">): Fees => ({
  maxFeePerGas: reservedMaxFee ?? 0n,
  maxPriorityFeePerGas: reservedTip ?? 0n,
});

/**
 * Signs the payloads of reserved requests, and stores the bytes in one transaction: in the order of nonces, up to the first that the key
 * could not sign, so that no stored transaction waits behind a nonce without one. Only what is stored may be broadcast.
 * @returns the requests that are signed now; the others stay reserved
 */
export async function signReserved(
  cycle: Pick<Cycle, "deps" | "wallet" | "state">,
  reservations: readonly Reservation[],
): Promise<InFlight[]> {
  const { deps, wallet } = cycle;
  const payloads = reservations.map(({ payload }) => payload);
  const signed = await signPayloads(cycle, payloads);
  deps.crash?.("sign:signed");
  if (signed.length === 0) return [];
  const stored = await deps.store.underLease(wallet, async (tx, { state }) => {
    if (state !== "active") return [];
    // The chain may be halted since the nonces were reserved. That keeps calls from being signed, and no filler.
    const isHalted = await tx.isHalted(wallet.nodes.chainId);
    const firstCall = isHalted ? signed.findIndex(({ kind }) => kind === "call") : -1;
    const attempts = await tx.storeSigned(wallet, firstCall === -1 ? signed : signed.slice(0, firstCall));
    deps.crash?.("sign:before-commit");
    return attempts;
  });
  deps.crash?.("sign:after-commit");
  const byHash = new Map(stored.map((attempt) => [attempt.hash, attempt]));
  return reservations.flatMap(({ request }, index) => {
    const attempt = byHash.get(signed[index]?.hash ?? "0x");
    return attempt ? [becomeSigned(request, attempt)] : [];
  });
}

/** Changes the cycle's own copy of a request as storeSigned changed its row. */
function becomeSigned(request: InFlight, attempt: Attempt): InFlight {
  const txHash = attempt.kind === "call" ? attempt.hash : null;
  return Object.assign(request, {
    state: "signed",
    txHash,
    attempts: [attempt],
    reservedMaxFee: null,
    reservedTip: null,
  });
}

/**
 * Stores one more attempt for a request's nonce: the call at a higher fee, or a filler.
 * @returns false where the wallet's key cannot sign now
 * @throws CallRefused
 */
export async function addAttempt(
  cycle: Cycle,
  request: InFlight,
  kind: Attempt["kind"],
  terms: Terms,
): Promise<boolean> {
  const { deps, wallet } = cycle;
  const call = kind === "call" ? verifyCall(request, wallet.signer.address, deps.rules) : "filler";
  const { requestId, nonce } = request;
  const [signed] = await signPayloads(cycle, [{ requestId, nonce, call, terms }]);
  if (!signed) return false;
  const attempts = await deps.store.underLease(wallet, async (tx) => {
    const stored = await tx.insertAttempts(wallet, [signed]);
    // A filler's hash is not shown.
    if (kind === "call") await tx.pointTo([signed]);
    return stored;
  });
  request.attempts.push(...attempts);
  if (kind === "call") request.txHash = signed.hash;
  return true;
}
