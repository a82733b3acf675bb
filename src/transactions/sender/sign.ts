import { type Hex, keccak256 } from "viem";
import { lockDelegation } from "../outbox/delegation.ts";
import { type Ending, endRequest, ring } from "../outbox/end.ts";
import { type RawSendRow, type SendRow, toSendRow } from "../outbox/rows.ts";
import type { Tx } from "../outbox/transaction.ts";
import type { Signer, UnsignedTransaction } from "../signer/signer.ts";
import type { SenderDeps, Wallet } from "./deps.ts";
import type { Fees } from "./fees.ts";
import { underLease } from "./lease.ts";
import { type Attempt, type InFlight, insertAttempt, pointTo } from "./store.ts";

/** Operations that a disabled delegation does not stop. */
const WITHOUT_DELEGATION: ReadonlySet<string> = new Set(["1ct/enable", "1ct/disable"]);
/** What a transfer of nothing costs. */
export const FILLER_GAS = 21_000n;

/** The oldest request of a wallet that has no nonce yet. */
export async function oldestAccepted(deps: SenderDeps, wallet: Wallet): Promise<SendRow | null> {
  const { rows } = await deps.pool.query<RawSendRow>(
    `SELECT * FROM app.send_request WHERE chain_id = $1 AND wallet = $2 AND state = 'accepted'
     ORDER BY sequence LIMIT 1`,
    [wallet.nodes.chainId, wallet.signer.address],
  );
  return rows[0] ? toSendRow(rows[0]) : null;
}

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
    const ending = await unwanted(deps, tx, request);
    if (!(await lockAccepted(tx, request.requestId))) return false;
    if (ending) {
      await endRequest(tx, request.requestId, ending);
      return true;
    }
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
  await ring(tx, requestId);
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

/** Locks the request, if it is still waiting: a disable may have cancelled it. */
async function lockAccepted(tx: Tx, requestId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    "SELECT 1 FROM app.send_request WHERE request_id = $1 AND state = 'accepted' FOR UPDATE",
    [requestId],
  );
  return rowCount === 1;
}

/**
 * Why a request must not be signed any more, or null. Takes the delegation's lock first and the request's after it, in
 * the order that disable takes them.
 */
async function unwanted(deps: SenderDeps, tx: Tx, request: SendRow): Promise<Ending | null> {
  if (!WITHOUT_DELEGATION.has(request.operation)) {
    const delegation = await lockDelegation(tx, request, "SHARE");
    if (!delegation || delegation.blocked) {
      return {
        state: "canceled",
        errCode: "DELEGATION_NOT_ENABLED",
        reason: "disabled before it was signed",
      };
    }
  }
  if (request.deadline !== null && BigInt(Math.floor(deps.now() / 1000)) > request.deadline) {
    return {
      state: "canceled",
      errCode: "DEADLINE_EXPIRED",
      reason: "its deadline passed before it was signed",
    };
  }
  return request.operation === "1ct/disable" ? null : stopped(tx, request.keyId);
}

/** What an operator stopped, by ending the key or by its kill switch. A disable goes through all the same: it protects. */
async function stopped(tx: Tx, keyId: string): Promise<Ending | null> {
  const { rows } = await tx.query<{ revoked: boolean; killed: boolean }>(
    `SELECT k.revoked_at IS NOT NULL AS revoked, coalesce(p.killed, false) AS killed
     FROM app.api_key k LEFT JOIN app.key_policy p USING (key_id) WHERE k.key_id = $1`,
    [keyId],
  );
  const [key] = rows;
  if (key?.revoked) return { state: "canceled", errCode: "POLICY_REFUSED", reason: "its key was revoked" };
  if (key?.killed) return { state: "canceled", errCode: "POLICY_REFUSED", reason: "the key's kill switch" };
  return null;
}
