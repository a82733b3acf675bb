import { dataOf, type RequestContext } from "../http/context.ts";
import { recordTransaction } from "../transactions/record.ts";
import { callerOf, viewerOf } from "../transactions/viewer.ts";
import { getOrderByTransaction } from "./by-tx.ts";
import { orderCalldata } from "./calldata.ts";
import { cancelCalldata } from "./cancel-calldata.ts";
import { sendCancel } from "./cancel-send.ts";
import { described } from "./described.ts";
import { getOrder } from "./get.ts";
import { listOrders } from "./list.ts";
import { sendOrder } from "./send.ts";
import { orderWithDepositCalldata } from "./with-deposit-calldata.ts";
import { sendOrderWithDeposit } from "./with-deposit-send.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/orders.graphql. */
export const resolvers = {
  Query: {
    orders: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await listOrders(context.deps, viewerOf(context), args)),
    order: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await getOrder(context.deps, viewerOf(context), args)),
    orderByTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await getOrderByTransaction(context.deps, viewerOf(context), args)),
  },
  Mutation: {
    orderCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await orderCalldata(context.deps, callerOf(context), args)),
    recordOrderTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await recordTransaction(context.deps, callerOf(context), "trade", args)),
    orderWithDepositCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await orderWithDepositCalldata(context.deps, callerOf(context), args)),
    orderCancelCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await cancelCalldata(context.deps, callerOf(context), args)),
    orderSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendOrder(context.deps, callerOf(context), args, context.idempotencyKey ?? null),
    orderWithDepositSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendOrderWithDeposit(context.deps, callerOf(context), args, context.idempotencyKey ?? null),
    orderCancelSend: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(
        context,
        await sendCancel(context.deps, callerOf(context), args, context.idempotencyKey ?? null),
      ),
  },
};

/** What the fields' arguments must be, for the OpenAPI document. */
export const inputs = described;
