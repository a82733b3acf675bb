import { type Hex, keccak256 } from "viem";
import { notify } from "../outbox/end-store.ts";
import type { SendRow } from "../outbox/rows.ts";
import type { Tx } from "../outbox/transaction.ts";
import type { Signer, UnsignedTransaction } from "../signer/signer.ts";
import { checkCancellation } from "./cancellation.ts";
import type { Cycle } from "./context.ts";
import type { Wallet } from "./deps.ts";
import type { Fees } from "./fees.ts";
import { underLease } from "./lease.ts";
import { type Attempt, type InFlight, insertAttempt, pointTo } from "./store.ts";

/** Gas of a transfer of nothing. */
export const FILLER_GAS = 21_000n;

/**
 * Gives a request its nonce, signs it and stores the signed bytes, all in one transaction under the wallet's lock; or
 * cancels it there. The signed request joins `cycle.inFlight`.
 * @returns true if it was signed or canceled; false if the request or the wallet changed meanwhile
 */
export async function signRequest(
  cycle: Pick<Cycle, "deps" | "wallet" | "inFlight">,
  request: SendRow,
  fees: Fees,
): Promise<boolean> {
  const { deps, wallet } = cycle;
  const signed = await underLease(deps.pool, wallet, async (tx, row) => {
    if (row.state !== "active" || row.nextNonce === null) return "changed";
    const cancellation = await checkCancellation(deps, tx, request);
    if (cancellation !== "none") return cancellation;
    const inFlight = await assign(tx, wallet, request, row.nextNonce, fees);
    deps.crash?.("sign:before-commit");
    return inFlight;
  });
  deps.crash?.("sign:after-commit");
  if (typeof signed === "string") return signed === "canceled";
  cycle.inFlight.push(signed);
  return true;
}

async function assign(
  tx: Tx,
  wallet: Wallet,
  request: SendRow,
  nonce: bigint,
  fees: Fees,
): Promise<InFlight> {
  const { requestId } = request;
  await tx.query(
    `UPDATE app.send_request SET state = 'signed', nonce = $2, signed_at = now()
     WHERE request_id = $1`,
    [requestId, nonce.toString()],
  );
  await tx.query(
    "UPDATE app.delegatee_wallet SET next_nonce = next_nonce + 1 WHERE chain_id = $1 AND address = $2",
    [wallet.nodes.chainId, wallet.signer.address],
  );
  const attempt = await storeAttempt(tx, wallet, request, {
    ...fees,
    nonce,
    kind: "call",
    gasLimit: request.gasLimit,
  });
  await notify(tx, requestId);
  return { ...request, state: "signed", nonce, txHash: attempt.hash, attempts: [attempt] };
}

/** Stores one more attempt for a request's nonce: the call at a higher fee, or a filler. */
export async function addAttempt(
  { deps, wallet }: Cycle,
  request: InFlight,
  kind: Attempt["kind"],
  fees: Fees,
): Promise<void> {
  const gasLimit = kind === "filler" ? FILLER_GAS : request.gasLimit;
  const attempt = await underLease(deps.pool, wallet, (tx) =>
    storeAttempt(tx, wallet, request, { ...fees, nonce: request.nonce, kind, gasLimit }),
  );
  request.attempts.push(attempt);
  if (kind === "call") request.txHash = attempt.hash;
}

interface Payload extends Fees {
  nonce: bigint;
  kind: Attempt["kind"];
  gasLimit: bigint;
}

/** Signs a payload and stores it; where it carries the call, its hash becomes the request's. */
async function storeAttempt(tx: Tx, wallet: Wallet, request: SendRow, payload: Payload): Promise<Attempt> {
  const { requestId } = request;
  const signed = await sign(wallet.signer, unsigned(wallet, request, payload));
  const attempt = await insertAttempt(tx, wallet, { ...payload, ...signed, requestId });
  if (payload.kind === "call") await pointTo(tx, requestId, signed.hash);
  return attempt;
}

function unsigned(wallet: Wallet, request: SendRow, payload: Payload): UnsignedTransaction {
  const filler = payload.kind === "filler";
  return {
    chainId: wallet.nodes.chainId,
    nonce: Number(payload.nonce),
    to: filler ? wallet.signer.address : request.to,
    data: filler ? "0x" : request.data,
    gas: payload.gasLimit,
    maxFeePerGas: payload.maxFeePerGas,
    maxPriorityFeePerGas: payload.maxPriorityFeePerGas,
  };
}

async function sign(signer: Signer, transaction: UnsignedTransaction): Promise<{ bytes: Hex; hash: Hex }> {
  const bytes = await signer.sign(transaction);
  return { bytes, hash: keccak256(bytes) };
}
