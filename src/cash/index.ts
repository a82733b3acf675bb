import { requireCaller, viewerOf } from "../auth/viewer.ts";
import { recordShape, recordTransaction } from "../claims/record.ts";
import { type RequestContext, unwrapAtBlock } from "../context/request.ts";
import { movementShape } from "../input/movement.ts";
import { getOperation } from "../operations/get.ts";
import { operationIdShape, operationListShape } from "../operations/input.ts";
import { listOperations } from "../operations/list.ts";
import { depositCalldata, withdrawalCalldata } from "./calldata.ts";
import { sendDeposit, sendShape, sendWithdrawal } from "./send.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/cash.graphql. */
export const resolvers = {
  Query: {
    cashDeposits: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await listOperations(context.deps, viewerOf(context), "deposit", args)),
    cashDeposit: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getOperation(context.deps, viewerOf(context), "deposit", args)),
    cashWithdrawals: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await listOperations(context.deps, viewerOf(context), "withdraw", args)),
    cashWithdrawal: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getOperation(context.deps, viewerOf(context), "withdraw", args)),
  },
  Mutation: {
    cashDepositCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await depositCalldata(context.deps, requireCaller(context), args)),
    cashWithdrawalCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await withdrawalCalldata(context.deps, requireCaller(context), args)),
    recordCashDepositTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await recordTransaction(context.deps, requireCaller(context), "deposit", args)),
    recordCashWithdrawalTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await recordTransaction(context.deps, requireCaller(context), "withdraw", args)),
    cashDepositSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendDeposit(context.deps, requireCaller(context), args, context.idempotencyKey ?? null),
    cashWithdrawalSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendWithdrawal(context.deps, requireCaller(context), args, context.idempotencyKey ?? null),
  },
};

/** What the fields' arguments must be, for the OpenAPI document. */
export const inputs = {
  cashDeposits: operationListShape,
  cashDeposit: operationIdShape,
  cashWithdrawals: operationListShape,
  cashWithdrawal: operationIdShape,
  cashDepositCalldata: movementShape,
  cashWithdrawalCalldata: movementShape,
  recordCashDepositTransaction: recordShape,
  recordCashWithdrawalTransaction: recordShape,
  cashDepositSend: sendShape,
  cashWithdrawalSend: sendShape,
};
