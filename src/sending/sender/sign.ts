import { keccak256 } from "viem";
import { inSpans } from "../../telemetry/tracing.ts";
import type { SendRow } from "../outbox/rows.ts";
import type { Appraised } from "./appraise.ts";
import { cancelOrLock } from "./cancellation.ts";
import { type Cycle, isBehind } from "./context.ts";
import type { Fees } from "./fees.ts";
import { holdToPolicies } from "./policy.ts";
import type { SenderTx } from "./sender-store.ts";
import type { NewAttempt } from "./sign-store.ts";
import { spanOf } from "./spans.ts";
import type { Attempt, InFlight } from "./store.ts";
import { type Verified, verifyCall } from "./verify-call.ts";
import type { Wallet } from "./wallet.ts";

const NOTHING = { signed: [], canceled: 0 };

/**
 * Assigns nonces to requests, in their order, signs them and stores the signed bytes, all in one transaction under the wallet's
 * lock; or cancels them there. Signed requests join `cycle.inFlight`.
 * @returns true where any was signed or canceled; false where all of them, or the wallet, changed meanwhile, or the chain is
 * halted
 */
export function signRequests(cycle: Signing, requests: readonly Appraised[], fees: Fees): Promise<boolean> {
  return inSpans("sign", requests.map(spanOf), () => signAll(cycle, requests, fees));
}

type Signing = Pick<Cycle, "deps" | "wallet" | "state" | "inFlight">;

async function signAll(cycle: Signing, requests: readonly Appraised[], fees: Fees): Promise<boolean> {
  const { deps, wallet, state: driver } = cycle;
  const outcome = await deps.store.underLease(wallet, async (tx, { state, nextNonce }) => {
    if (state !== "active" || nextNonce === null) return NOTHING;
    // The next cycle asks the nodes first (cycle.ts).
    if (isBehind(driver, nextNonce)) return NOTHING;
    // Under the wallet's lock, in a statement of its own: after its commit, a halt waits for that lock (halt-store.ts).
    if (await tx.isHalted(wallet.nodes.chainId)) return NOTHING;
    const locked = await cancelOrLock(deps, tx, requests);
    const { signable, canceled } = await holdToPolicies(tx, locked.signable, locked.policies, deps.now());
    const signed = signable.length > 0 ? await assign(tx, wallet, signable, nextNonce, fees) : [];
    deps.crash?.("sign:before-commit");
    return { signed, canceled: locked.canceled + canceled };
  });
  deps.crash?.("sign:after-commit");
  cycle.inFlight.push(...outcome.signed);
  const last = outcome.signed.at(-1);
  if (last) driver.knownNonce = last.nonce + 1n;
  return outcome.signed.length + outcome.canceled > 0;
}

async function assign(
  tx: SenderTx,
  wallet: Wallet,
  requests: readonly Appraised[],
  first: bigint,
  fees: Fees,
): Promise<InFlight[]> {
  const numbered = requests.map((request, index) => ({ ...request, nonce: first + BigInt(index) }));
  const payloads: NewAttempt[] = [];
  for (const request of numbered) {
    const { gasLimit } = request;
    payloads.push(await signAttempt(wallet, request, request, { ...fees, gasLimit }));
  }
  const notionals = requests.map(({ appraisal }) => appraisal?.notional ?? null);
  await tx.assignNonces(wallet, payloads, notionals);
  const attempts = await tx.insertAttempts(wallet, payloads);
  return numbered.flatMap((request, index): InFlight[] => {
    const attempt = attempts[index];
    return attempt ? [{ ...request, state: "signed", txHash: attempt.hash, attempts: [attempt] }] : [];
  });
}

/** Fees, and the gas that a transaction may use. */
type Terms = Fees & { gasLimit: bigint };

/** Stores one more attempt for a request's nonce: the call at a higher fee, or a filler. @throws CallRefused */
export async function addAttempt(
  { deps, wallet }: Cycle,
  request: InFlight,
  kind: Attempt["kind"],
  terms: Terms,
): Promise<void> {
  const call = kind === "call" ? verifyCall(request, wallet.signer.address, deps.rules) : "filler";
  const payload = await signAttempt(wallet, request, call, terms);
  const attempts = await deps.store.underLease(wallet, async (tx) => {
    const stored = await tx.insertAttempts(wallet, [payload]);
    // A filler's hash is not shown.
    if (kind === "call") await tx.pointTo([payload]);
    return stored;
  });
  request.attempts.push(...attempts);
  if (kind === "call") request.txHash = payload.hash;
}

/** Signs for a wallet, and is the only place that does: a verified call, or a transfer of nothing to the wallet itself. */
async function signAttempt(
  wallet: Wallet,
  { requestId, nonce }: { requestId: string; nonce: bigint },
  call: Verified<Pick<SendRow, "to" | "data">> | "filler",
  { gasLimit, ...fees }: Terms,
): Promise<NewAttempt> {
  const { to, data } = call === "filler" ? { to: wallet.signer.address, data: "0x" as const } : call;
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const payload = { chainId: wallet.nodes.chainId, nonce: Number(nonce), to, data, gas: gasLimit };
  const bytes = await wallet.signer.sign({ ...payload, maxFeePerGas, maxPriorityFeePerGas });
  const kind = call === "filler" ? "filler" : "call";
  const terms = { gasLimit, maxFeePerGas, maxPriorityFeePerGas };
  return { ...terms, requestId, nonce, kind, bytes, hash: keccak256(bytes) };
}
