import { encodeFunctionData, type Hex, hashTypedData } from "viem";
import type { Caller } from "../auth/caller.ts";
import { estimate } from "../chain/simulate.ts";
import { sendingOf } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import { requireFuture } from "../context/input/fields.ts";
import { oneClickRouterAbi } from "../contracts/abi/index.ts";
import type { DelegationStatus } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { enablesOf, readDelegation } from "../sending/delegation/bound-user.ts";
import { gasLimitFor } from "../sending/gas.ts";
import { inputHash } from "../sending/outbox/identity.ts";
import { presentSend } from "../sending/outbox/reply.ts";
import { findByOperationKey } from "../sending/outbox/request-store.ts";
import type { SendRow } from "../sending/outbox/rows.ts";
import { write } from "../sending/outbox/submit.ts";
import { waitForReceipt } from "../sending/outbox/wait.ts";
import { type BoundUser, requireBoundUser } from "./bound-user.ts";
import type { EnableInput } from "./input.ts";
import { signPayload } from "./payload.ts";
import { isSignedBy } from "./signature.ts";

const WAIT_FOR_RECEIPT_MS = 20_000;

interface Change {
  status: DelegationStatus;
  txHash: Hex | null;
}

/**
 * POST /1ct/enable: submits the bound user's signature through its delegatee and waits for the receipt. It counts for
 * this key alone.
 * @throws ApiError USER_NOT_BOUND, VALIDATION_FAILED, DEADLINE_EXPIRED, DELEGATION_NONCE_USED, SIGNER_MISMATCH,
 *   CHAIN_REVERT, OUT_OF_GAS, OPERATOR_UNAVAILABLE, RPC_UNAVAILABLE, POLICY_REFUSED, DELEGATION_NOT_ENABLED (a disable
 *   came while it waited)
 */
export async function enable(deps: Deps, caller: Caller, input: EnableInput): Promise<Change> {
  const { signature, deadline, nonce: asked } = input;
  requireFuture(deadline, deps.now());
  const bound = await requireBoundUser(deps, caller);
  const { user, row, chain, product } = bound;
  const onChain = await readDelegation(chain, product, user);
  const current = Number(onChain.nonce);
  const isSigned = (nonce: number) => verifies(bound, caller, { signature, deadline, nonce });
  // Read before the delegation in force: the second read then sees a receipt that is recorded between the two.
  const spent = asked ?? current - 1;
  const underWay = spent < current ? await findUnderWay(deps, caller, bound, spent) : null;
  if (underWay && (await isSigned(spent))) return awaitOutcome(deps, underWay);
  const inForce = await enablesOf(deps, caller, user, { row, onChain });
  const presented = asked ?? inForce[0];
  if (presented !== undefined && inForce.includes(presented) && (await isSigned(presented))) {
    return { status: "enable", txHash: null };
  }
  const nonce = asked ?? current;
  if (nonce < current) throw nonceUsed();
  if (nonce > current) {
    throw new ApiError("VALIDATION_FAILED", { param: "nonce", message: `nonce must be ${current}` });
  }
  if (!(await isSigned(nonce))) throw new ApiError("SIGNER_MISMATCH", { param: "signature" });
  return send(deps, caller, bound, { signature, deadline, nonce });
}

/**
 * Returns this key's own enable that spent a nonce on the chain and whose receipt is not recorded yet, or null. Its repeat
 * waits for that receipt like the first call; without this it would be answered as if another transaction had spent the nonce.
 */
async function findUnderWay(
  deps: Deps,
  caller: Caller,
  { user, row }: BoundUser,
  nonce: number,
): Promise<SendRow | null> {
  const sent = await findByOperationKey(deps.pool, caller, operationKeyOf(user, nonce));
  if (!sent || row.blocked || sent.delegationEpoch !== row.epoch || sent.keyId !== caller.keyId) return null;
  return ["accepted", "reserved", "signed", "broadcast"].includes(sent.state) ? sent : null;
}

/** Returns the value of app.send_request.operation_key for an enable; delegation/enable-store.ts parses it. */
const operationKeyOf = (user: Hex, nonce: number): string => `enable:${user}:${nonce}`;

const nonceUsed = (): ApiError => new ApiError("DELEGATION_NONCE_USED", { param: "nonce" });

interface Signed {
  signature: Hex;
  deadline: number;
  nonce: number;
}

/** Returns true where the user, an EOA or a wallet contract, signed the payload. */
function verifies(
  { user, row, chain, product }: BoundUser,
  { chainId }: Caller,
  { signature, deadline, nonce }: Signed,
): Promise<boolean> {
  const { oneClickRouter } = product.contracts;
  const payload = signPayload({ chainId, oneClickRouter, user, delegatee: row.delegatee, nonce, deadline });
  const message = { ...payload.message, nonce: BigInt(nonce) };
  return isSignedBy(chain, user, hashTypedData({ ...payload, message }), signature);
}

async function send(
  deps: Deps,
  caller: Caller,
  { user, row, chain, product }: BoundUser,
  { signature, deadline, nonce }: Signed,
): Promise<Change> {
  const to = product.contracts.oneClickRouter;
  const data = encodeFunctionData({
    abi: oneClickRouterAbi,
    functionName: "delegateBySig",
    args: [user, row.delegatee, BigInt(nonce), deadline, signature],
  });
  const gas = await estimate(chain, { from: row.delegatee, to, data }).catch((error: unknown) => {
    // The nonce was used after the read of the chain.
    throw error instanceof ApiError && error.revert === "InvalidNonce" ? nonceUsed() : error;
  });
  const { gasLimitMax: cap, queuedMax } = sendingOf(chain.config);
  const written = await write(deps, caller, {
    operation: "1ct/enable",
    wallet: row.delegatee,
    user,
    to,
    data,
    gasLimit: gasLimitFor({ data, asked: null, estimate: gas, cap }),
    queuedMax,
    deadline: BigInt(deadline),
    idempotencyKey: null,
    inputHash: inputHash("POST", "/1ct/enable", { user, nonce }),
    clientOrderId: null,
    operationType: null,
    operationKey: operationKeyOf(user, nonce),
    notional: null,
    symbol: null,
    needsDelegation: false,
    delegationEpoch: row.epoch,
  });
  // Another key's request spends this nonce already, pending or mined: it counts for that key.
  if (written.keyId !== caller.keyId) throw nonceUsed();
  return awaitOutcome(deps, written);
}

/** Waits for the receipt of an enable, at most 20 s. @throws ApiError CHAIN_REVERT and what else ended the request */
async function awaitOutcome(deps: Deps, written: SendRow): Promise<Change> {
  const row = await waitForReceipt(deps, written, WAIT_FOR_RECEIPT_MS);
  const { status, errCode, txHash } = presentSend(row);
  if (status === "failed") throw new ApiError(errCode ?? "CHAIN_REVERT", { revert: row.revert });
  if (row.state === "mined" && !row.minedSuccess) {
    throw new ApiError("CHAIN_REVERT", { revert: row.revert });
  }
  return { status: status === "confirmed" ? "enable" : "pending", txHash };
}
