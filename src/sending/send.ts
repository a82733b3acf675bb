import { getAddress, type Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { RouterCall } from "../calldata/calldata.ts";
import type { Requirement } from "../calldata/preflight.ts";
import { type Chain, resolveScope } from "../chain/clients.ts";
import { estimate } from "../chain/simulate.ts";
import { type ProductConfig, sendingOf } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import type { Mapping } from "../context/schema-types.ts";
import { formatDecimal } from "../protocol/decimal.ts";
import type { OperationType, SendOperation } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { readSendMapping, writtenMapping } from "./answer/mapping.ts";
import { requireEnabled, requireUnblocked } from "./delegation/bound-user.ts";
import { encodeExecuteFor } from "./execute-for.ts";
import { gasLimitFor, requireGasLimit } from "./gas.ts";
import { inputHash, normaliseInput, type RequestIdentity } from "./outbox/identity.ts";
import { presentSend, type SendReply } from "./outbox/reply.ts";
import { findByIdempotencyKey, findByOperationKey } from "./outbox/request-store.ts";
import type { SendRow } from "./outbox/rows.ts";
import { submit } from "./outbox/submit.ts";
import { mayLackSends } from "./outbox/submit-store.ts";
import { waitForBroadcast } from "./outbox/wait.ts";
import { buildTrailer, macsOfNames } from "./trailer.ts";

/** One call of a /send endpoint, as received. */
export interface SendCall {
  /** Its name in policies, such as "orders/send". */
  operation: SendOperation;
  method: "POST" | "DELETE";
  path: string;
  /** All arguments, checked: nothing hashes or reads them before. */
  input: Readonly<Record<string, unknown>>;
  /** The header Idempotency-Key, checked (requireSendable), or null. */
  idempotencyKey: string | null;
  /** Key of an operation that runs only once at a time: a repeat is answered with the state of the first. */
  operationKey?: string;
}

/** Router call that a feature makes from a request, and its requirements. */
export interface SendPlan {
  call: RouterCall;
  /** Checked in this order; the first shortfall refuses. */
  requirements: readonly Requirement[];
  /** Unix seconds, or null. */
  deadline: number | null;
  gasLimit: bigint | null;
  /** Null where the transaction has no mapping of its own. */
  operationType: OperationType | null;
  clientOrderId: string | null;
  /** mUSD wad of an order, or of the fee of a movement, for the key's daily cap. */
  notional: bigint | null;
  /** See NewSend. */
  unquoted?: boolean;
  symbol: string | null;
}

/** Caller, bound user and scope of a send. */
export interface SendContext {
  chain: Chain;
  product: ProductConfig;
  /** The bound user, lower case. */
  user: Hex;
  /** Highest gasLimit of this deployment. */
  gasLimitMax: bigint;
}

export interface SendAnswer extends SendReply {
  mapping: Mapping | null;
}

/**
 * Serves a /send endpoint: checks, simulates, writes and waits (docs/api.md#send-reply). A repeat under the same Idempotency-Key
 * is answered with the request's present state before anything but its form is checked, even where it arrived before that request
 * was written. An Idempotency-Key that was answered with the state of an operation under way (operationKey) is answered with that
 * request from then on.
 * @param plan reads the input and the chain; its refusals leave Idempotency-Key and clientOrderId free
 * @throws ApiError USER_NOT_BOUND, IDEMPOTENCY_KEY_REUSED, DELEGATION_NOT_ENABLED, ALLOWANCE_INSUFFICIENT, BALANCE_INSUFFICIENT,
 * CHAIN_REVERT, OUT_OF_GAS, VALIDATION_FAILED (gasLimit), RPC_UNAVAILABLE, as submit, and what `plan` throws
 */
export async function sendForUser(
  deps: Deps,
  caller: Caller,
  incoming: SendCall,
  plan: (context: SendContext) => Promise<SendPlan>,
): Promise<SendAnswer> {
  const user = caller.userAddress;
  if (!user) throw new ApiError("USER_NOT_BOUND");
  const { method, path, input, idempotencyKey } = incoming;
  const names = { idempotencyKey, inputHash: inputHash(method, path, normaliseInput(input)) };
  const macs = macsOfNames(deps.attributionKeys, caller, { ...names, clientOrderId: null });
  const identity = { ...names, macs };
  const known = await findByIdempotencyKey(deps.pool, caller, identity);
  if (known) return repeat(deps, known);
  try {
    return await checkAndSubmit(deps, caller, { incoming, identity, user }, plan);
  } catch (refusal) {
    // The same call may have been written while this one was checked, and its own success may be the reason of this refusal.
    const twin = await findConcurrentRequest(deps, caller, incoming, identity);
    if (twin) return repeat(deps, twin);
    const isForGood = refusal instanceof ApiError && !refusal.retryable;
    if (isForGood && (await mayRepeatLost(deps, caller, { incoming, identity, user })))
      throw lostSends(refusal);
    throw refusal;
  }
}

/** Returns the request of an Idempotency-Key: its own, or the one whose state it was answered with. */
async function findConcurrentRequest(
  { pool }: Deps,
  caller: Caller,
  { idempotencyKey, operationKey }: SendCall,
  identity: RequestIdentity,
): Promise<SendRow | null> {
  const own = await findByIdempotencyKey(pool, caller, identity);
  if (own || idempotencyKey === null || operationKey === undefined) return own;
  const standing = await findByOperationKey(pool, caller, operationKey);
  return standing?.keyId === caller.keyId ? standing : null;
}

interface CheckedSend {
  incoming: SendCall;
  identity: RequestIdentity;
  user: Hex;
}

/**
 * Returns true where this may repeat a request that a restored backup lacks. The effect of that request may be what the checks
 * now refuse, and a permanent refusal would deny that it was ever sent. Once the operator has resumed the wallet, the repeat is
 * answered with its state.
 */
async function mayRepeatLost(
  { pool }: Deps,
  { chainId, productType }: Caller,
  { incoming, identity, user }: CheckedSend,
): Promise<boolean> {
  const isNamed = identity.idempotencyKey !== null || incoming.input.clientOrderId != null;
  return isNamed && (await mayLackSends(pool, { chainId, productType, user }));
}

/**
 * Refuses a call while it may repeat one that a restored backup lacks.
 * @throws ApiError OPERATOR_UNAVAILABLE
 */
export async function refuseLostSends(
  { pool }: Deps,
  { chainId, productType }: Caller,
  user: Hex,
): Promise<void> {
  if (await mayLackSends(pool, { chainId, productType, user })) throw lostSends(undefined);
}

const lostSends = (cause: unknown): ApiError =>
  new ApiError("OPERATOR_UNAVAILABLE", {
    cause,
    message: "The sending wallet is unavailable, and may have sent this before: repeat the call as it was",
  });

async function checkAndSubmit(
  deps: Deps,
  caller: Caller,
  { incoming, identity, user }: CheckedSend,
  plan: (context: SendContext) => Promise<SendPlan>,
): Promise<SendAnswer> {
  const { chain, product } = resolveScope(deps, caller);
  const { gasLimitMax, queuedMax } = sendingOf(chain.config);
  const { call, requirements, gasLimit, deadline, ...terms } = await plan({
    chain,
    product,
    user,
    gasLimitMax,
  });
  const to = product.contracts.oneClickRouter;
  const names = { ...identity, clientOrderId: terms.clientOrderId };
  // Includes all of its bytes from here on: the estimate, the gas limit and every later attempt count the trailer.
  const trailer = buildTrailer(deps.attributionKeys, caller, names);
  const data = encodeExecuteFor(user, call.callData, trailer);
  requireGasLimit(gasLimit, gasLimitMax, data);
  const delegation = await requireUnblocked(deps, caller, user);
  const { delegatee } = delegation;
  // Both are read at once; the order of refusals does not depend on the order of answers.
  const [enabled, estimated] = await Promise.allSettled([
    requireEnabled(deps, caller, { chain, product, user }, delegation),
    estimate(chain, { from: delegatee, to, data }),
  ]);
  if (enabled.status === "rejected") throw enabled.reason;
  requireSufficient(requirements);
  if (estimated.status === "rejected") throw estimated.reason;
  const row = await submit(deps, caller, {
    ...names,
    macs: macsOfNames(deps.attributionKeys, caller, names),
    ...terms,
    operation: incoming.operation,
    operationKey: incoming.operationKey ?? null,
    wallet: delegatee,
    user,
    to,
    data,
    gasLimit: gasLimitFor({ data, asked: gasLimit, estimate: estimated.value, cap: gasLimitMax }),
    queuedMax,
    deadline: deadline === null ? null : BigInt(deadline),
    needsDelegation: true,
  });
  // The request is committed: a database that fails now must not make the caller send it a second time.
  const mapping = await readNewMapping(deps, row, terms.operationType);
  return { ...presentSend(row), mapping };
}

/** Returns the mapping of a request that this call wrote or repeats. Never throws. */
async function readNewMapping(
  deps: Deps,
  row: SendRow,
  operationType: OperationType | null,
): Promise<Mapping | null> {
  // Before a receipt, only the request's hash changes its claim, and the request has that too.
  if (UNMINED.has(row.state)) return writtenMapping(row, operationType);
  return readSendMapping(deps, row).catch((err: unknown) => {
    deps.log.warn({ err, requestId: row.requestId }, "the mapping of a request cannot be read");
    return writtenMapping(row, operationType);
  });
}

const UNMINED: ReadonlySet<SendRow["state"]> = new Set(["accepted", "reserved", "signed", "broadcast"]);

async function repeat(deps: Deps, known: SendRow): Promise<SendAnswer> {
  const row = await waitForBroadcast(deps, known);
  return { ...presentSend(row), mapping: await readSendMapping(deps, row) };
}

/**
 * Refuses a named user other than the bound one.
 * @throws ApiError VALIDATION_FAILED
 */
export function refuseOtherUser(named: Hex | undefined, user: Hex): void {
  if (named === undefined || named === user) return;
  throw new ApiError("VALIDATION_FAILED", {
    param: "userAddress",
    message: "userAddress must be the user that the API key is bound to",
  });
}

/** @throws ApiError ALLOWANCE_INSUFFICIENT, BALANCE_INSUFFICIENT, with the amount there is */
function requireSufficient(requirements: readonly Requirement[]): void {
  const shortfall = requirements.find(({ actual, required }) => actual < required);
  if (!shortfall) return;
  const { required, actual, decimals, token, spender } = shortfall;
  const amounts = `${formatDecimal(required, decimals)} is required, ${formatDecimal(actual, decimals)} is there`;
  const what = token ? `token ${getAddress(token)}` : "mUSD";
  if (spender) {
    const message = `The allowance is too low: of ${what}, for the spender ${getAddress(spender)}, ${amounts}`;
    throw new ApiError("ALLOWANCE_INSUFFICIENT", { message });
  }
  const where = shortfall.check === "walletBalance" ? "in the wallet" : "on the exchange";
  throw new ApiError("BALANCE_INSUFFICIENT", {
    message: `The balance is too low: of ${what} ${where}, ${amounts}`,
  });
}
