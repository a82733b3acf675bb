import { type RequestContext, unwrapAtBlock } from "../context/request.ts";
import { listCorporateActions } from "./corporate-action.ts";
import { getHistory } from "./history.ts";
import { actionsShape, historyShape, symbolShape } from "./input.ts";
import { getPrice } from "./price.ts";
import { listSymbols } from "./symbols.ts";
import { getUnderlyingPrice } from "./underlying.ts";

/** GraphQL fields of schema/market.graphql. */
export const resolvers = {
  Query: {
    symbols: async (_root: unknown, _args: unknown, context: RequestContext) =>
      unwrapAtBlock(context, await listSymbols(context.deps, context.scope)),
    price: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      unwrapAtBlock(context, await getPrice(context.deps, context.scope, args)),
    priceHistory: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      unwrapAtBlock(context, await getHistory(context.deps, context.scope, args)),
    underlyingPrice: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      unwrapAtBlock(context, await getUnderlyingPrice(context.deps, context.scope, args)),
    corporateActions: async (_root: unknown, args: Record<string, unknown>, context: RequestContext) =>
      unwrapAtBlock(context, await listCorporateActions(context.deps, context.scope, args)),
  },
};

/** What the fields' arguments must be, for the OpenAPI document. */
export const inputs = {
  price: symbolShape,
  priceHistory: historyShape,
  underlyingPrice: symbolShape,
  corporateActions: actionsShape,
};
