import { requireCaller, viewerOf } from "../auth/viewer.ts";
import { recordShape, recordTransaction } from "../claims/record.ts";
import { type RequestContext, unwrapAtBlock } from "../context/request.ts";
import { movementShape } from "../input/movement.ts";
import { getOperation } from "../operations/get.ts";
import { operationIdShape, operationListShape } from "../operations/input.ts";
import { listOperations } from "../operations/list.ts";
import { depositCalldata, withdrawalCalldata } from "./calldata.ts";
import { sendShape, sendStockDeposit, sendStockWithdrawal } from "./send.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/stock.graphql. */
export const resolvers = {
  Query: {
    stockDeposits: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await listOperations(context.deps, viewerOf(context), "stock-deposit", args)),
    stockDeposit: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getOperation(context.deps, viewerOf(context), "stock-deposit", args)),
    stockWithdrawals: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await listOperations(context.deps, viewerOf(context), "stock-withdraw", args)),
    stockWithdrawal: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getOperation(context.deps, viewerOf(context), "stock-withdraw", args)),
  },
  Mutation: {
    stockDepositCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await depositCalldata(context.deps, requireCaller(context), args)),
    stockWithdrawalCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await withdrawalCalldata(context.deps, requireCaller(context), args)),
    recordStockDepositTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(
        context,
        await recordTransaction(context.deps, requireCaller(context), "stock-deposit", args),
      ),
    recordStockWithdrawalTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(
        context,
        await recordTransaction(context.deps, requireCaller(context), "stock-withdraw", args),
      ),
    stockDepositSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendStockDeposit(context.deps, requireCaller(context), args, context.idempotencyKey ?? null),
    stockWithdrawalSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendStockWithdrawal(context.deps, requireCaller(context), args, context.idempotencyKey ?? null),
  },
};

/** What the fields' arguments must be, for the OpenAPI document. */
export const inputs = {
  stockDeposits: operationListShape,
  stockDeposit: operationIdShape,
  stockWithdrawals: operationListShape,
  stockWithdrawal: operationIdShape,
  stockDepositCalldata: movementShape,
  stockWithdrawalCalldata: movementShape,
  recordStockDepositTransaction: recordShape,
  recordStockWithdrawalTransaction: recordShape,
  stockDepositSend: sendShape,
  stockWithdrawalSend: sendShape,
};
