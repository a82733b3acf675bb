import { dataOf, type RequestContext } from "../http/context.ts";
import { getPrice } from "./price.ts";
import { listSymbols } from "./symbols.ts";

/** GraphQL fields of schema/market.graphql. */
export const resolvers = {
  Query: {
    symbols: async (_root: unknown, _args: unknown, context: RequestContext) =>
      dataOf(context, await listSymbols(context.deps, context.scope)),
    price: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      dataOf(context, await getPrice(context.deps, context.scope, args)),
  },
};
