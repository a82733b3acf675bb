import type { z } from "zod";
import type { Caller } from "../../../src/auth/caller.ts";
import type { Viewer } from "../../../src/auth/viewer.ts";
import * as record from "../../../src/claims/record.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { type Args, parseInput } from "../../../src/context/input/fields.ts";
import type { RequestContext } from "../../../src/context/request.ts";
import { symbolShape } from "../../../src/market/input.ts";
import * as price from "../../../src/market/price.ts";
import * as operationCall from "../../../src/operations/calldata.ts";
import * as detail from "../../../src/operations/get.ts";
import {
  operationCalldataShape,
  operationIdShape,
  operationListShape,
} from "../../../src/operations/input.ts";
import * as lists from "../../../src/operations/list.ts";
import * as byClientId from "../../../src/orders/by-client-id.ts";
import * as byTx from "../../../src/orders/by-tx.ts";
import * as calldata from "../../../src/orders/calldata.ts";
import * as cancelAfter from "../../../src/orders/cancel-after.ts";
import * as cancelCall from "../../../src/orders/cancel-calldata.ts";
import { cancelManyShape } from "../../../src/orders/cancel-many.ts";
import * as cancelManyCall from "../../../src/orders/cancel-many-calldata.ts";
import * as cancelMany from "../../../src/orders/cancel-many-send.ts";
import * as cancel from "../../../src/orders/cancel-send.ts";
import * as get from "../../../src/orders/get.ts";
import {
  clientOrderIdShape,
  orderIdShape,
  orderListShape,
  orderShape,
  txHashShape,
} from "../../../src/orders/input.ts";
import * as list from "../../../src/orders/list.ts";
import * as preview from "../../../src/orders/preview.ts";
import * as send from "../../../src/orders/send.ts";
import {
  cancelSendShape,
  orderPreviewShape,
  orderSendShape,
  withDepositCalldataShape,
  withDepositSendShape,
} from "../../../src/orders/shapes.ts";
import * as withDeposit from "../../../src/orders/with-deposit-calldata.ts";
import * as withDepositSend from "../../../src/orders/with-deposit-send.ts";
import * as activities from "../../../src/portfolio/activities.ts";
import * as balance from "../../../src/portfolio/balance.ts";
import {
  activityListShape,
  balanceShape,
  positionsShape,
  statementShape,
} from "../../../src/portfolio/input.ts";
import * as positions from "../../../src/portfolio/positions.ts";
import * as statement from "../../../src/portfolio/statement.ts";
import { requireSendable } from "../../../src/sending/endpoint.ts";

/** Verbs as their endpoints call them: with arguments as sent, which are checked first. */

/** Arguments of a verb before its input: the caller, and the kind of operation where a verb has several. */
type Who = readonly [unknown, ...unknown[]];

function checked<W extends Who, S extends z.ZodType, R>(
  shape: S,
  verb: (deps: Deps, ...rest: [...W, z.output<S>]) => Promise<R>,
): (deps: Deps, ...rest: [...W, object]) => Promise<R> {
  return async (deps, ...rest) => {
    const who = rest.slice(0, -1) as unknown as W;
    return verb(deps, ...who, parseInput(shape, { ...(rest.at(-1) as object) }));
  };
}

export const getOrder = checked(orderIdShape, get.getOrder);
export const getOrderByTransaction = checked(txHashShape, byTx.getOrderByTransaction);
export const getOrderByClientId = checked(clientOrderIdShape, byClientId.getOrderByClientId);
export const listOrders = checked(orderListShape, list.listOrders);
export const orderCalldata = checked(orderShape, calldata.orderCalldata);
export const orderWithDepositCalldata = checked(
  withDepositCalldataShape,
  withDeposit.orderWithDepositCalldata,
);
export const orderPreview = checked(orderPreviewShape, preview.previewOrder);
export const cancelCalldata = checked(orderIdShape, cancelCall.cancelCalldata);
export const cancelManyCalldata = checked(cancelManyShape, cancelManyCall.cancelManyCalldata);
export const listOperations = checked(operationListShape, lists.listOperations);
export const getOperation = checked(operationIdShape, detail.getOperation);
export const operationCalldata = checked(operationCalldataShape, operationCall.operationCalldata);
export const getBalance = checked(balanceShape, balance.getBalance);
export const listActivities = checked(activityListShape, activities.listActivities);
export const listPositions = checked(positionsShape, positions.listPositions);
/** Needs less of its dependencies than others: a test without an api calls it, too. */
export const getStatement = (deps: Pick<Deps, "pool" | "now">, viewer: Viewer, input: object) =>
  statement.getStatement(deps, viewer, parseInput(statementShape, { ...input }));
export const recordTransaction = checked(record.recording("trade").input, record.recordTransaction);
export const getPrice = checked(symbolShape, price.getPrice);

type SendVerb<I, R> = (deps: Deps, caller: Caller, input: I, idempotencyKey: string | null) => Promise<R>;

function sending<S extends z.ZodType, R>(
  shape: S,
  verb: SendVerb<z.output<S>, R>,
  before: (context: RequestContext, args: Args) => void | Promise<void> = requireSendable,
): SendVerb<object, R> {
  return async (deps, caller, sent, idempotencyKey) => {
    const { chainId, productType } = caller;
    const scope = { chainId, productType };
    const args = { ...sent };
    const { log } = deps;
    await before({ deps, caller, scope, uuid: "test", log, indexedBlock: null, idempotencyKey }, args);
    return verb(deps, caller, parseInput(shape, args), idempotencyKey);
  };
}

export const sendOrder = sending(orderSendShape, send.sendOrder);
export const sendOrderWithDeposit = sending(withDepositSendShape, withDepositSend.sendOrderWithDeposit);
export const sendCancel = sending(cancelSendShape, cancel.sendCancel, cancel.beforeCancel);
export const sendCancelMany = sending(cancelManyShape, cancelMany.sendCancelMany);

/** Arms a key's switch, as its endpoint does. */
export async function setCancelAfter(deps: Deps, caller: Caller, args: Args) {
  return cancelAfter.setCancelAfter(deps, caller, parseInput(cancelAfter.cancelAfterShape, args));
}
