import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import type { Caller } from "../../auth/caller.ts";
import { toDatabaseError, violatedConstraint } from "../../db/errors.ts";
import { CommitUnknown, inTransaction, type Tx } from "../../db/transaction.ts";
import type { OperationType, SendOperation } from "../../protocol/enums.ts";
import { ApiError } from "../../protocol/errors.ts";
import { activeSpan, inSpan } from "../../telemetry/tracing.ts";
import { readEnables } from "../delegation/enable-store.ts";
import { lockDelegation, type UserScope } from "../delegation/store.ts";
import type { OutboxDeps } from "./deps.ts";
import type { RequestIdentity } from "./identity.ts";
import { enforcePolicy } from "./policy.ts";
import { findById, findByIdempotencyKey, findByOperationKey } from "./request-store.ts";
import type { SendRow } from "./rows.ts";
import { insertRequest, notifyWork, readWalletQueue } from "./submit-store.ts";
import { beginWait, waitForBroadcast } from "./wait.ts";

/** A call to send for a user, checked and simulated. */
export interface NewSend extends RequestIdentity {
  /** Operation that policies and the operator see, such as "orders/send". */
  operation: SendOperation;
  /** Wallet that sends, and the contract it calls. */
  wallet: Hex;
  user: Hex;
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  /** Unix seconds, or null where the call has none. */
  deadline: bigint | null;
  clientOrderId: string | null;
  /** Kind of the transaction in the caller's lists, or null where it has no mapping of its own. */
  operationType: OperationType | null;
  /** Key of an operation that may run only once at a time, or null: a second request is answered with the first one's state. */
  operationKey: string | null;
  /** mUSD wad, of orders and of fees of movements, for the daily cap; and the stock's symbol. */
  notional: bigint | null;
  symbol: string | null;
  /** True for an order whose quote is missing or stale: a daily cap refuses it. */
  unquoted?: boolean;
  /** True where a disabled delegation refuses it: all but enable and disable themselves. */
  needsDelegation: boolean;
  /** Requests that the key may have waiting on the wallet, including this one; null: any number. */
  queuedMax: number | null;
  /** Skips the checks of the key's policy and queue and of the wallet's state: a disable must always be possible. */
  bypassChecks?: boolean;
  /** Epoch of the delegation that an enable has read: a disable since then refuses it. See delegation/store.ts. */
  delegationEpoch?: number | null;
}

/** Time for which a write is retried while the database fails, and the pause in between; milliseconds. */
const WRITE_FOR_MS = 3_000;
const WRITE_PAUSE_MS = 100;

/**
 * Writes a request to send and its claim in one transaction, then waits at most 3 s for its broadcast. From its commit on, the
 * request is sent exactly once, whatever process dies, and this no longer throws. A repeat (same Idempotency-Key, or the same
 * operation under way) is answered with the first one's state.
 * @throws ApiError DELEGATION_NOT_ENABLED, POLICY_REFUSED, MARKET_DATA_UNAVAILABLE (a cap, and no quote to value the order by),
 * OPERATOR_UNAVAILABLE, RATE_LIMITED (the key has too much waiting), IDEMPOTENCY_KEY_REUSED, CLIENT_ORDER_ID_REUSED,
 * DATABASE_UNAVAILABLE (as write)
 */
export async function submit(deps: OutboxDeps, caller: Caller, send: NewSend): Promise<SendRow> {
  const requestId = randomUUID();
  activeSpan()?.set({ request_id: requestId });
  // Begins before the request is written, so that no notification is missed.
  const early = beginWait(deps, requestId);
  const written = await write(deps, caller, send, requestId);
  deps.crash?.("submit:after-commit");
  return inSpan("wait for broadcast", {}, () => waitForBroadcast(deps, written, early));
}

/**
 * Submits without the wait.
 * @returns the request of this call
 * @throws ApiError DATABASE_UNAVAILABLE; retryable only where nothing was written, or a repeat cannot write it twice
 */
export async function write(
  deps: OutboxDeps,
  caller: Caller,
  send: NewSend,
  requestId: string = randomUUID(),
): Promise<SendRow> {
  const end = deps.now() + WRITE_FOR_MS;
  let uncertain = false;
  for (;;) {
    try {
      const row = await writeOnce(deps, caller, send, requestId, uncertain);
      if (row.state === "accepted") announce(deps, row);
      return row;
    } catch (error) {
      uncertain ||= error instanceof CommitUnknown;
      const failure = toDatabaseError(error);
      const again = error instanceof Repeated || failure?.errCode === "DATABASE_UNAVAILABLE";
      if (!again || deps.now() >= end)
        throw uncertain && again ? unknownOutcome(send, error) : (failure ?? error);
      // COMMIT may have happened. The id is fixed, so the next attempt finds the request, or writes it.
      deps.log.warn(
        { requestId, uncertain, err: error },
        "a request is not known to be written; writing it again",
      );
      await sleep(WRITE_PAUSE_MS);
    }
  }
}

/** Notifies the wallet's worker of a committed request. Where that fails, the worker finds it when it polls. */
export function announce({ pool, log }: Pick<OutboxDeps, "pool" | "log">, request: SendRow): void {
  const { requestId, chainId, wallet } = request;
  notifyWork(pool, chainId, wallet).catch((err: unknown) =>
    log.debug({ requestId, err }, "the worker is not notified of a request"),
  );
}

/** @param uncertain true where an earlier attempt may have written it */
async function writeOnce(
  deps: OutboxDeps,
  caller: Caller,
  send: NewSend,
  requestId: string,
  uncertain: boolean,
): Promise<SendRow> {
  try {
    return await inTransaction(deps.pool, async (tx) => {
      const written = await insertSend(deps, tx, caller, send, { requestId, mayExist: uncertain });
      deps.crash?.("submit:before-commit");
      return written;
    });
  } catch (error) {
    const taken = error instanceof Repeated || violatedConstraint(error) !== null;
    const refused = uncertain && error instanceof ApiError;
    const standing = taken || refused ? await findById(deps.pool, requestId) : null;
    const repeated = standing ?? (taken ? await repeatedBy(deps, caller, send) : null);
    if (repeated) return repeated;
    throw error;
  }
}

/**
 * Returns the refusal after a COMMIT whose outcome is unknown. Where nothing in the request distinguishes a repeat from a new
 * one, it is not retryable.
 */
function unknownOutcome({ idempotencyKey, clientOrderId, operationKey }: NewSend, cause: unknown): ApiError {
  const retryable = idempotencyKey !== null || clientOrderId !== null || operationKey !== null;
  const what = retryable ? "repeat the call as it was" : "look for it in your lists before you send it again";
  const message = `The database does not answer, and the request may have been accepted: ${what}`;
  return new ApiError("DATABASE_UNAVAILABLE", { cause, retryable, message });
}

/** Rolls a transaction back where another request stands for this call. */
export class Repeated extends Error {}

/** Id of a new request; `mayExist` where an earlier attempt may have written it. */
interface NewId {
  requestId: string;
  mayExist: boolean;
}

/**
 * Inserts a request within the caller's transaction. The caller announces it after the commit.
 * @throws Repeated where the keys are taken, ApiError as submit
 */
export async function insertSend(
  deps: OutboxDeps,
  tx: Tx,
  caller: Caller,
  send: NewSend,
  { requestId, mayExist }: NewId,
): Promise<SendRow> {
  const written = mayExist ? await findById(tx, requestId) : null;
  if (written) return written;
  if (send.needsDelegation)
    await requireDelegation(tx, caller.keyId, { ...scopeOf(caller), user: send.user });
  if (send.delegationEpoch != null)
    await requireEpoch(tx, { ...scopeOf(caller), user: send.user }, send.delegationEpoch);
  if (!send.bypassChecks) {
    await enforcePolicy(tx, { keyId: caller.keyId, ...send }, deps.now());
    await requireRoom(tx, caller, send);
  }
  const claimId = send.operationType ? randomUUID() : null;
  const row = await insertRequest(
    tx,
    { ...send, ...callerOf(caller), requestId, claimId },
    send.operationType,
  );
  if (!row) throw new Repeated();
  return row;
}

/** Requires the delegation, under its lock, so that no disable precedes the request's commit. @throws ApiError DELEGATION_NOT_ENABLED */
export async function requireDelegation(tx: Tx, keyId: string, scope: UserScope): Promise<void> {
  await lockDelegation(tx, scope, "SHARE");
  const enables = await readEnables(tx, scope, keyId, null);
  if (enables.length === 0) throw new ApiError("DELEGATION_NOT_ENABLED");
}

/** Requires that no disable came since the delegation was read: this enable would renew the delegation that the disable has ended. */
async function requireEpoch(tx: Tx, scope: UserScope, epoch: number): Promise<void> {
  const row = await lockDelegation(tx, scope, "SHARE");
  if (row?.epoch !== epoch) throw new ApiError("DELEGATION_NOT_ENABLED");
}

const HALTED = "The operator has halted sending on this chain";
/** Retry-After of a full queue, which moves with every block. */
const FULL_QUEUE_SECONDS = 5;

/** Refuses a wallet that does not send, a halted chain, and a full queue. Takes no lock: concurrent requests may exceed the limit slightly. */
async function requireRoom(
  tx: Tx,
  { keyId, chainId }: Caller,
  { wallet, queuedMax }: NewSend,
): Promise<void> {
  const queue = await readWalletQueue(tx, { keyId, chainId, wallet }, queuedMax ?? 0);
  if (queue?.state !== "active" || !queue.assignable) throw new ApiError("OPERATOR_UNAVAILABLE");
  if (queue.halted) throw new ApiError("OPERATOR_UNAVAILABLE", { message: HALTED });
  if (queuedMax === null || queue.waiting < queuedMax) return;
  const message = "Too many requests of this key wait to be sent";
  throw new ApiError("RATE_LIMITED", { message, retryAfterSeconds: FULL_QUEUE_SECONDS });
}

/**
 * Returns the request that has taken this one's keys, or null.
 * @throws ApiError where they clash
 */
async function repeatedBy(deps: OutboxDeps, caller: Caller, send: NewSend): Promise<SendRow | null> {
  const sameKey = await findByIdempotencyKey(deps.pool, caller, send);
  if (sameKey) return sameKey;
  const sameOperation = await findByOperationKey(deps.pool, caller, send.operationKey);
  if (sameOperation) return sameOperation;
  if (send.clientOrderId !== null) throw new ApiError("CLIENT_ORDER_ID_REUSED", { param: "clientOrderId" });
  return null;
}

const callerOf = ({ keyId, chainId, productType, envelopeUuid }: Caller) => ({
  keyId,
  chainId,
  productType,
  envelopeUuid,
});

function scopeOf({ chainId, productType }: Caller): { chainId: number; productType: string } {
  return { chainId, productType };
}
