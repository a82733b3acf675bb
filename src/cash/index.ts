import { dataOf, type RequestContext } from "../http/context.ts";
import { getOperation } from "../operations/get.ts";
import { listOperations } from "../operations/list.ts";
import { recordTransaction } from "../transactions/record.ts";
import { callerOf, viewerOf } from "../transactions/viewer.ts";
import { depositCalldata } from "./deposit-calldata.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/cash.graphql. */
export const resolvers = {
  Query: {
    cashDeposits: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await listOperations(context.deps, viewerOf(context), "deposit", args)),
    cashDeposit: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await getOperation(context.deps, viewerOf(context), "deposit", args)),
  },
  Mutation: {
    cashDepositCalldata: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await depositCalldata(context.deps, viewerOf(context), args)),
    recordCashDepositTransaction: async (_root: unknown, args: Args, context: RequestContext) =>
      dataOf(context, await recordTransaction(context.deps, callerOf(context), "deposit", args)),
  },
};
