import { type Hex, keccak256 } from "viem";
import { notify } from "../outbox/end.ts";
import type { SendRow } from "../outbox/rows.ts";
import type { Tx } from "../outbox/transaction.ts";
import type { Signer, UnsignedTransaction } from "../signer/signer.ts";
import { checkCancellation } from "./cancellation.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import type { Fees } from "./fees.ts";
import { underLease } from "./lease.ts";
import { type Attempt, type InFlight, insertAttempt, pointTo } from "./store.ts";

/** What a transfer of nothing costs. */
export const FILLER_GAS = 21_000n;

/**
 * Gives a request its nonce, signs it and stores the signed bytes, all in one transaction under the wallet's lock; or
 * ends it there, where it is not wanted any more. With a signer outside the process the bytes follow (signStored).
 * @returns false where the request or the wallet changed meanwhile
 */
export async function signRequest(
  deps: SenderDeps,
  wallet: Wallet,
  request: SendRow,
  fees: Fees,
): Promise<boolean> {
  const signed = await underLease(deps.pool, wallet, async (tx, row) => {
    if (row.state !== "active" || row.nextNonce === null) return false;
    const wanted = await checkCancellation(deps, tx, request);
    if (wanted !== "yes") return wanted === "ended";
    await assign(tx, wallet, request, row.nextNonce, fees);
    deps.crash?.("sign:before-commit");
    return true;
  });
  deps.crash?.("sign:after-commit");
  return signed;
}

async function assign(tx: Tx, wallet: Wallet, request: SendRow, nonce: bigint, fees: Fees): Promise<void> {
  const { requestId } = request;
  await tx.query(
    `UPDATE app.send_request SET state = 'signed', nonce = $2, signed_at = now(), updated_at = now()
     WHERE request_id = $1`,
    [requestId, nonce.toString()],
  );
  await tx.query(
    "UPDATE app.delegatee_wallet SET next_nonce = next_nonce + 1 WHERE chain_id = $1 AND address = $2",
    [wallet.nodes.chainId, wallet.signer.address],
  );
  const attempt = { ...fees, requestId, wallet, nonce, kind: "call" as const, gasLimit: request.gasLimit };
  const signed = wallet.signer.remote ? null : await sign(wallet.signer, unsigned(wallet, request, attempt));
  await insertAttempt(tx, { ...attempt, signed });
  await notify(tx, requestId);
}

/** Stores one more attempt for a request's nonce: the call at a higher fee, or a filler. */
export async function addAttempt(
  deps: SenderDeps,
  wallet: Wallet,
  request: InFlight,
  kind: Attempt["kind"],
  fees: Fees,
): Promise<void> {
  const gasLimit = kind === "filler" ? FILLER_GAS : request.gasLimit;
  const attempt = { ...fees, requestId: request.requestId, wallet, nonce: request.nonce, kind, gasLimit };
  await underLease(deps.pool, wallet, async (tx) => {
    const signed = wallet.signer.remote
      ? null
      : await sign(wallet.signer, unsigned(wallet, request, attempt));
    await insertAttempt(tx, { ...attempt, signed });
  });
}

/** Asks a signer outside the process for stored payloads that have no bytes yet, and stores what it signs. */
export async function signStored(
  deps: SenderDeps,
  wallet: Wallet,
  requests: readonly InFlight[],
): Promise<void> {
  for (const request of requests) {
    for (const attempt of request.attempts) {
      if (attempt.signed) continue;
      const signed = await sign(
        wallet.signer,
        unsigned(wallet, request, { ...attempt, nonce: request.nonce }),
      );
      attempt.signed = await storeSigned(deps, wallet, request, attempt, signed);
    }
  }
}

/** Where two signatures were made, the first one stored is the only one that goes out. */
async function storeSigned(
  deps: SenderDeps,
  wallet: Wallet,
  request: InFlight,
  attempt: Attempt,
  signed: { bytes: Hex; hash: Hex },
): Promise<Attempt["signed"]> {
  return underLease(deps.pool, wallet, async (tx) => {
    const { rowCount } = await tx.query(
      "UPDATE app.send_attempt SET signed_bytes = $2, tx_hash = $3 WHERE attempt_id = $1 AND signed_bytes IS NULL",
      [attempt.attemptId, Buffer.from(signed.bytes.slice(2), "hex"), signed.hash],
    );
    if (rowCount === 0) return null;
    if (attempt.kind === "call") await pointTo(tx, request.requestId, signed.hash);
    return signed;
  });
}

interface Payload extends Fees {
  nonce: bigint;
  kind: Attempt["kind"];
  gasLimit: bigint;
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
