import type { RequestContext } from "../http/context.ts";
import { callerOf } from "../transactions/viewer.ts";
import { sendStockDeposit, sendStockWithdrawal } from "./send.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of stock movements. */
export const resolvers = {
  Mutation: {
    stockDepositSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendStockDeposit(context.deps, callerOf(context), args, context.idempotencyKey ?? null),
    stockWithdrawalSend: (_root: unknown, args: Args, context: RequestContext) =>
      sendStockWithdrawal(context.deps, callerOf(context), args, context.idempotencyKey ?? null),
  },
};
