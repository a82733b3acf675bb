import type { RequestContext } from "../http/context.ts";
import { callerOf } from "../transactions/viewer.ts";
import { disable } from "./disable.ts";
import { enable } from "./enable.ts";
import { prepare } from "./prepare.ts";
import { readStatus } from "./status.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/oneclick.graphql. */
export const resolvers = {
  Query: {
    delegation: (_root: unknown, _args: Args, context: RequestContext) =>
      readStatus(context.deps, callerOf(context)),
  },
  Mutation: {
    delegationPrepare: (_root: unknown, args: Args, context: RequestContext) =>
      prepare(context.deps, callerOf(context), args),
    delegationEnable: (_root: unknown, args: Args, context: RequestContext) =>
      enable(context.deps, callerOf(context), args),
    delegationDisable: (_root: unknown, _args: Args, context: RequestContext) =>
      disable(context.deps, callerOf(context)),
  },
};
