import { requireCaller, viewerOf } from "../auth/viewer.ts";
import { AMOUNT_REFUSALS } from "../calldata/calldata.ts";
import { recording } from "../claims/record.ts";
import { atBlock, endpointsOf, unindexed } from "../context/endpoint.ts";
import { LISTED_AHEAD } from "../context/input/list.ts";
import { unwrapAtBlock } from "../context/request.ts";
import { LIST_COST } from "../protocol/costs.ts";
import { asSender, FUNDS_REFUSALS, requireSendable, SEND_REFUSALS, sending } from "../sending/endpoint.ts";
import { getOrderByClientId } from "./by-client-id.ts";
import { getOrderByTransaction } from "./by-tx.ts";
import { orderCalldata } from "./calldata.ts";
import { cancelAfterShape, setCancelAfter } from "./cancel-after.ts";
import { cancelCalldata } from "./cancel-calldata.ts";
import { CANCEL_MANY_COST, cancelManyShape } from "./cancel-many.ts";
import { cancelManyCalldata } from "./cancel-many-calldata.ts";
import { sendCancelMany } from "./cancel-many-send.ts";
import { beforeCancel, sendCancel } from "./cancel-send.ts";
import {
  CALLDATA_EXAMPLES,
  CANCEL_CALLDATA_EXAMPLES,
  CANCEL_MANY_CALLDATA_EXAMPLES,
  CANCEL_MANY_SEND_EXAMPLES,
  CANCEL_SEND_EXAMPLES,
  PREVIEW_EXAMPLES,
  SEND_EXAMPLES,
  WITH_DEPOSIT_CALLDATA_EXAMPLES,
  WITH_DEPOSIT_SEND_EXAMPLES,
} from "./examples.ts";
import { getOrder } from "./get.ts";
import { clientOrderIdShape, orderIdShape, orderListShape, txHashShape } from "./input.ts";
import { listOrders } from "./list.ts";
import { previewOrder } from "./preview.ts";
import { sendOrder } from "./send.ts";
import {
  cancelSendShape,
  orderCalldataShape,
  orderPreviewShape,
  orderSendShape,
  withDepositCalldataShape,
  withDepositSendShape,
} from "./shapes.ts";
import { orderWithDepositCalldata } from "./with-deposit-calldata.ts";
import { sendOrderWithDeposit } from "./with-deposit-send.ts";

const endpoint = endpointsOf({
  name: "Orders",
  description: "Placing, recording, listing and canceling orders.",
});

const REFUSED_ORDERS = [
  "NOTIONAL_REQUIRED",
  "QUANTITY_REQUIRED",
  "PRICE_REQUIRED",
  "TIME_IN_FORCE_REQUIRED",
  "TIME_IN_FORCE_NOT_SUPPORTED",
  "DEADLINE_EXPIRED",
  ...AMOUNT_REFUSALS,
] as const;
const REFUSED_SENDS = [
  ...REFUSED_ORDERS,
  ...SEND_REFUSALS,
  ...FUNDS_REFUSALS,
  "CLIENT_ORDER_ID_REUSED",
] as const;
const REFUSED_CANCELS = ["ORDER_NOT_FOUND", "ORDER_NOT_CANCELABLE", "MARKET_ORDER_NOT_CANCELABLE"] as const;

export const endpoints = [
  endpoint({
    method: "POST",
    path: "/orders/calldata",
    field: "Mutation.orderCalldata",
    title: "Encode an order",
    cost: 2,
    input: orderCalldataShape,
    refusals: REFUSED_ORDERS,
    examples: CALLDATA_EXAMPLES,
    resolve: atBlock(requireCaller, orderCalldata),
  }),
  endpoint({
    method: "POST",
    path: "/orders/send",
    field: "Mutation.orderSend",
    title: "Place an order",
    input: orderSendShape,
    refusals: REFUSED_SENDS,
    examples: SEND_EXAMPLES,
    ...sending(sendOrder),
  }),
  endpoint({
    method: "POST",
    path: "/orders/with-deposit/calldata",
    field: "Mutation.orderWithDepositCalldata",
    title: "Encode a deposit and an order",
    cost: 2,
    input: withDepositCalldataShape,
    refusals: [...REFUSED_ORDERS, "DEPOSIT_NOT_INSTANT"],
    examples: WITH_DEPOSIT_CALLDATA_EXAMPLES,
    resolve: atBlock(requireCaller, orderWithDepositCalldata),
  }),
  endpoint({
    method: "POST",
    path: "/orders/with-deposit/send",
    field: "Mutation.orderWithDepositSend",
    title: "Deposit and place an order",
    input: withDepositSendShape,
    refusals: [...REFUSED_SENDS, "DEPOSIT_NOT_INSTANT"],
    examples: WITH_DEPOSIT_SEND_EXAMPLES,
    ...sending(sendOrderWithDeposit),
  }),
  endpoint({
    method: "POST",
    path: "/orders/preview",
    field: "Mutation.orderPreview",
    title: "Preview an order",
    cost: 2,
    input: orderPreviewShape,
    refusals: [...REFUSED_ORDERS, "DEPOSIT_NOT_INSTANT"],
    examples: PREVIEW_EXAMPLES,
    resolve: atBlock(requireCaller, previewOrder),
  }),
  endpoint({
    method: "POST",
    path: "/orders/tx",
    field: "Mutation.recordOrderTransaction",
    title: "Record an order transaction",
    ...recording("trade"),
  }),
  endpoint({
    method: "GET",
    path: "/orders",
    field: "Query.orders",
    title: "List orders",
    readsAhead: LISTED_AHEAD,
    readsRows: true,
    cost: LIST_COST,
    logged: true,
    input: orderListShape,
    resolve: atBlock(viewerOf, listOrders),
  }),
  endpoint({
    method: "GET",
    path: "/orders/tx/:txHash",
    field: "Query.orderByTransaction",
    title: "Get an order by transaction",
    readsAhead: [],
    readsRows: true,
    input: txHashShape,
    refusals: ["TRANSACTION_NOT_FOUND"],
    resolve: atBlock(viewerOf, getOrderByTransaction),
  }),
  endpoint({
    method: "GET",
    path: "/orders/client/:clientOrderId",
    field: "Query.orderByClientId",
    title: "Get an order by clientOrderId",
    readsAhead: [],
    readsRows: true,
    input: clientOrderIdShape,
    refusals: ["ORDER_NOT_FOUND"],
    resolve: atBlock(viewerOf, getOrderByClientId),
  }),
  endpoint({
    method: "GET",
    path: "/orders/:orderId",
    field: "Query.order",
    title: "Get an order",
    readsAhead: [],
    readsRows: true,
    input: orderIdShape,
    refusals: ["ORDER_NOT_FOUND"],
    resolve: atBlock(viewerOf, getOrder),
  }),
  endpoint({
    method: "DELETE",
    path: "/orders/:orderId/calldata",
    field: "Mutation.orderCancelCalldata",
    title: "Encode a cancel",
    cost: 2,
    input: orderIdShape,
    refusals: REFUSED_CANCELS,
    examples: CANCEL_CALLDATA_EXAMPLES,
    resolve: atBlock(requireCaller, cancelCalldata),
  }),
  endpoint({
    method: "DELETE",
    path: "/orders/:orderId/send",
    field: "Mutation.orderCancelSend",
    title: "Cancel an order",
    cost: 2,
    input: cancelSendShape,
    refusals: [...REFUSED_CANCELS, ...SEND_REFUSALS],
    examples: CANCEL_SEND_EXAMPLES,
    before: beforeCancel,
    resolve: async (context, input) => unwrapAtBlock(context, await asSender(sendCancel)(context, input)),
  }),
  endpoint({
    method: "POST",
    path: "/orders/cancel-after",
    field: "Mutation.ordersCancelAfter",
    title: "Cancel orders after a silence",
    cost: 2,
    explicitField: "seconds",
    input: cancelAfterShape,
    refusals: ["USER_NOT_BOUND", "DELEGATION_NOT_ENABLED", "POLICY_REFUSED"],
    resolve: unindexed(requireCaller, setCancelAfter),
  }),
  endpoint({
    method: "POST",
    path: "/orders/cancel/calldata",
    field: "Mutation.ordersCancelCalldata",
    title: "Encode cancels",
    cost: CANCEL_MANY_COST,
    input: cancelManyShape,
    refusals: ["TOKEN_NOT_SUPPORTED"],
    examples: CANCEL_MANY_CALLDATA_EXAMPLES,
    resolve: atBlock(requireCaller, cancelManyCalldata),
  }),
  endpoint({
    method: "POST",
    path: "/orders/cancel/send",
    field: "Mutation.ordersCancelSend",
    title: "Cancel orders",
    cost: CANCEL_MANY_COST,
    input: cancelManyShape,
    refusals: ["TOKEN_NOT_SUPPORTED", ...SEND_REFUSALS],
    examples: CANCEL_MANY_SEND_EXAMPLES,
    before: requireSendable,
    resolve: async (context, input) => unwrapAtBlock(context, await asSender(sendCancelMany)(context, input)),
  }),
];
