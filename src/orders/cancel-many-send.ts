import { randomUUID } from "node:crypto";
import type { Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import type { BlockRead } from "../context/request.ts";
import type { Order } from "../context/schema-types.ts";
import { ApiError, type ErrCode } from "../protocol/errors.ts";
import {
  type CancelBatch,
  findBatch,
  findRecreatedBatch,
  insertBatch,
} from "../sending/outbox/batch-store.ts";
import { inputHash, normaliseInput } from "../sending/outbox/identity.ts";
import { presentSend } from "../sending/outbox/reply.ts";
import { findJoined, findNamed } from "../sending/outbox/request-store.ts";
import { type IdentifiedSend, type Outcome, submitMany } from "../sending/outbox/submit-many.ts";
import { refuseLostSends, refuseOtherUser, type SendAnswer } from "../sending/send.ts";
import { type BatchName, createPreparer, type PrepareSend, refusalOf } from "../sending/send-many.ts";
import { macsOfNames } from "../sending/trailer.ts";
import { planCancel, requireCancelable } from "./cancel.ts";
import { type CancelManyInput, findOpenOrders } from "./cancel-many.ts";
import { type FoundOrder, findOrder } from "./find.ts";

/** Outcome of one order's cancel: its request, or the refusal. */
interface CanceledOrder {
  orderId: string;
  send: SendAnswer | null;
  errCode: ErrCode | null;
  errMsg: string | null;
}

interface CancelSendList {
  rows: CanceledOrder[];
  more: boolean;
}

/** An order of a call. */
interface Target {
  orderId: Hex;
  /** Id of its request, also of one that is not written yet. */
  requestId: string;
  /** Null where the index has no such order. */
  order: Order | null;
  /** Outcome that is known before this call writes anything. */
  known: Outcome | null;
}

/** The orders of a call. */
interface Targets {
  block: BlockRead<unknown>["block"];
  list: Target[];
  more: boolean;
}

/**
 * POST /orders/cancel/send: asks the chain to cancel each open limit order of the bound user that the key owns, newest first, at
 * most 100. Requests and the set of orders are written in one transaction. A repeat under the same Idempotency-Key answers the same
 * orders as they stand, and tries those again that were refused (docs/sending.md#cancel-many).
 * @throws ApiError USER_NOT_BOUND, VALIDATION_FAILED (userAddress), IDEMPOTENCY_KEY_REUSED; on a first call also as refuseLostSends,
 * findOpenOrders, createPreparer and submitMany
 */
export async function sendCancelMany(
  deps: Deps,
  caller: Caller,
  input: CancelManyInput,
  idempotencyKey: string | null,
): Promise<BlockRead<CancelSendList>> {
  const user = caller.userAddress;
  if (!user) throw new ApiError("USER_NOT_BOUND");
  refuseOtherUser(input.userAddress, user);
  const hash = inputHash("POST", "/orders/cancel/send", normaliseInput(input));
  const name = idempotencyKey === null ? null : { idempotencyKey, inputHash: hash };
  const batch = name && (await findOwnBatch(deps, caller, name));
  if (name && !batch) await refuseLostSends(deps, caller, user);
  const targets = batch
    ? await readTargets(deps, caller, batch)
    : await chooseTargets(deps, caller, { ...input, userAddress: user });
  const cancels = await prepareCancels(deps, caller, { user, name, targets, isRepeat: batch !== null });
  const outcomes = await submitCancels(deps, caller, { targets, cancels, name: batch ? null : name });
  // Another call under the name was first.
  if (!outcomes) return sendCancelMany(deps, caller, input, idempotencyKey);
  const rows = targets.list.map(({ orderId, order }, n) => present(orderId, order, outcomes[n]));
  return { block: targets.block, data: { rows, more: targets.more } };
}

/** Returns the batch of a name. @throws ApiError IDEMPOTENCY_KEY_REUSED where the key belongs to another call */
async function findOwnBatch(
  { pool, attributionKeys }: Deps,
  caller: Caller,
  name: BatchName,
): Promise<CancelBatch | null> {
  const macs = macsOfNames(attributionKeys, caller, { ...name, clientOrderId: null });
  const recreated = await findRecreatedBatch(pool, caller, macs);
  const batch = await findBatch(pool, caller, name.idempotencyKey);
  const isReused = batch
    ? batch.inputHash !== name.inputHash
    : (await findNamed(pool, caller, name.idempotencyKey)) !== null;
  if (!recreated && isReused) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  return recreated ? withRecreated(batch, recreated) : batch;
}

/**
 * Returns a stored batch with the requests of it that were re-created; these alone where it has other orders: then it was stored after a
 * restore, and they were sent before.
 */
function withRecreated(stored: CancelBatch | null, recreated: CancelBatch): CancelBatch {
  const found = new Map(recreated.orderIds.map((orderId, n) => [orderId, recreated.requestIds[n] ?? ""]));
  if (!stored || !recreated.orderIds.every((orderId) => stored.orderIds.includes(orderId))) return recreated;
  return {
    ...stored,
    requestIds: stored.requestIds.map((id, n) => found.get(stored.orderIds[n] ?? "0x") ?? id),
  };
}

async function chooseTargets(deps: Deps, caller: Caller, input: CancelManyInput): Promise<Targets> {
  const { block, data } = await findOpenOrders(deps, caller, input);
  const list = data.orders.map((found) => ({ ...found, requestId: randomUUID(), known: null }));
  return { block, list, more: data.more };
}

async function readTargets(
  deps: Deps,
  caller: Caller,
  { orderIds, requestIds, more }: CancelBatch,
): Promise<Targets> {
  const reads = orderIds.map((orderId, n) => readTarget(deps, caller, orderId, requestIds[n] ?? ""));
  const read = await Promise.all(reads);
  const block = read.find((one) => one.block)?.block ?? null;
  return { block, list: read.map(({ data }) => data), more };
}

/** Reads an order of a batch and its request. A repeat is answered also where the index is not ready. */
async function readTarget(
  deps: Deps,
  caller: Caller,
  orderId: Hex,
  requestId: string,
): Promise<BlockRead<Target>> {
  const [sent, found] = await Promise.all([
    findJoined(deps.pool, requestId),
    findOrder(deps, caller, orderId).catch(refusalOf),
  ]);
  const target = { orderId, requestId, order: null };
  if (found === null)
    return { block: null, data: { ...target, known: sent ?? new ApiError("ORDER_NOT_FOUND") } };
  if (found instanceof ApiError) return { block: null, data: { ...target, known: sent ?? found } };
  const { block, data } = found;
  return { block, data: { ...target, order: data.order, known: sent ?? refusalToCancel(data) } };
}

function refusalToCancel(found: FoundOrder): ApiError | null {
  try {
    requireCancelable(found);
    return null;
  } catch (error) {
    return refusalOf(error);
  }
}

/**
 * Returns the cancel of each order as it is written; or what is known of it: its request, or why none is sent.
 * @param isRepeat true where a refusal of all is the answer of each, beside the requests of an earlier call
 */
async function prepareCancels(
  deps: Deps,
  caller: Caller,
  {
    user,
    name,
    targets: { list },
    isRepeat,
  }: { user: Hex; name: BatchName | null; targets: Targets; isRepeat: boolean },
): Promise<(IdentifiedSend | Outcome)[]> {
  if (list.every(({ known }) => known)) return list.flatMap(({ known }) => known ?? []);
  const prepare = await createPreparer(deps, caller, user, name).catch((error: unknown): PrepareSend => {
    if (!isRepeat) throw error;
    return async () => refusalOf(error);
  });
  return Promise.all(
    list.map(async ({ orderId, requestId, order, known }) => {
      if (known) return known;
      const send = await prepare(planCancel(deps, caller, orderId, order?.openOrder?.symbol ?? null));
      return send instanceof ApiError ? send : { requestId, send };
    }),
  );
}

/** Rolls the requests of a call back, where another call under its name was first. */
class BatchTaken extends Error {}

/**
 * Writes the requests of orders, and the batch of a call that has a name.
 * @returns the outcome of each order; null where another call under the name was first
 */
function submitCancels(
  deps: Deps,
  caller: Caller,
  {
    targets: { list, more },
    cancels,
    name,
  }: { targets: Targets; cancels: (IdentifiedSend | Outcome)[]; name: BatchName | null },
): Promise<Outcome[] | null> {
  const orderIds = list.map(({ orderId }) => orderId);
  const submitting = submitMany(deps, caller, cancels, async (tx, outcomes) => {
    if (name === null) return;
    const requestIds = list.map(({ requestId }, n) => requestIdOf(outcomes[n]) ?? requestId);
    if (!(await insertBatch(tx, caller, name, { orderIds, requestIds, more }))) throw new BatchTaken();
  });
  return submitting.catch((error: unknown) => {
    if (error instanceof BatchTaken) return null;
    throw error;
  });
}

const requestIdOf = (outcome: Outcome | undefined): string | undefined =>
  outcome instanceof ApiError ? undefined : outcome?.requestId;

function present(orderId: Hex, order: Order | null, outcome: Outcome | undefined): CanceledOrder {
  if (!outcome) throw new Error(`nothing became of the cancel of ${orderId}`);
  if (outcome instanceof ApiError)
    return { orderId, send: null, errCode: outcome.errCode, errMsg: outcome.message };
  const send = { ...presentSend(outcome), mapping: order?.mapping ?? null };
  return { orderId, send, errCode: null, errMsg: null };
}
