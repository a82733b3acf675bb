import { requireCaller, viewerOf } from "../auth/viewer.ts";
import { recordTransaction } from "../claims/record.ts";
import { type RequestContext, unwrapAtBlock } from "../context/request.ts";
import { getOrderByTransaction } from "./by-tx.ts";
import { orderCalldata } from "./calldata.ts";
import { cancelCalldata } from "./cancel-calldata.ts";
import { sendCancel } from "./cancel-send.ts";
import { getOrder } from "./get.ts";
import { listOrders } from "./list.ts";
import { described } from "./openapi-inputs.ts";
import { sendOrder } from "./send.ts";
import { orderWithDepositCalldata } from "./with-deposit-calldata.ts";
import { sendOrderWithDeposit } from "./with-deposit-send.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/orders.graphql. */
export const resolvers = {
  Query: {
    orders: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await listOrders(context.deps, viewerOf(context), args)),
    order: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getOrder(context.deps, viewerOf(context), args)),
    orderByTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getOrderByTransaction(context.deps, viewerOf(context), args)),
  },
  Mutation: {
    orderCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await orderCalldata(context.deps, requireCaller(context), args)),
    recordOrderTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await recordTransaction(context.deps, requireCaller(context), "trade", args)),
    orderWithDepositCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await orderWithDepositCalldata(context.deps, requireCaller(context), args)),
    orderCancelCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await cancelCalldata(context.deps, requireCaller(context), args)),
    orderSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendOrder(context.deps, requireCaller(context), args, context.idempotencyKey ?? null),
    orderWithDepositSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendOrderWithDeposit(context.deps, requireCaller(context), args, context.idempotencyKey ?? null),
    orderCancelSend: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(
        context,
        await sendCancel(context.deps, requireCaller(context), args, context.idempotencyKey ?? null),
      ),
  },
};

/** What the fields' arguments must be, for the OpenAPI document. */
export const inputs = described;
