import { dataOf, type RequestContext } from "../http/context.ts";
import { listCorporateActions } from "./corporate-action.ts";
import { getHistory } from "./history.ts";
import { getPrice } from "./price.ts";
import { listSymbols } from "./symbols.ts";
import { getUnderlyingPrice } from "./underlying.ts";

/** GraphQL fields of schema/market.graphql. */
export const resolvers = {
  Query: {
    symbols: async (_root: unknown, _args: unknown, context: RequestContext) =>
      dataOf(context, await listSymbols(context.deps, context.scope)),
    price: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      dataOf(context, await getPrice(context.deps, context.scope, args)),
    priceHistory: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      dataOf(context, await getHistory(context.deps, context.scope, args)),
    underlyingPrice: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      dataOf(context, await getUnderlyingPrice(context.deps, context.scope, args)),
    corporateActions: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      dataOf(context, await listCorporateActions(context.deps, context.scope, args)),
  },
};
