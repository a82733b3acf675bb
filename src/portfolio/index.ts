import { type RequestContext, unwrapAtBlock } from "../context/request.ts";
import { getBalance } from "./balance.ts";
import { getConfig } from "./config.ts";
import { balanceShape, positionsShape } from "./input.ts";
import { listPositions } from "./positions.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/portfolio.graphql. */
export const resolvers = {
  Query: {
    config: async (_root: unknown, _args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getConfig(context.deps, context.scope)),
    balance: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await getBalance(context.deps, context.scope, args)),
    positions: async (_root: unknown, args: Args, context: RequestContext) =>
      unwrapAtBlock(context, await listPositions(context.deps, context.scope, args)),
  },
};

/** What the fields' arguments must be, for the OpenAPI document. */
export const inputs = { balance: balanceShape, positions: positionsShape };
