import { atBlock, endpointsOf } from "../context/endpoint.ts";
import { joined } from "../context/joined.ts";
import { scopeOf } from "../context/request.ts";
import { HISTORY_COST } from "../protocol/costs.ts";
import { listCorporateActions } from "./corporate-action.ts";
import { getHistory } from "./history.ts";
import { actionsShape, historyShape, symbolListShape, symbolShape } from "./input.ts";
import { getPrice } from "./price.ts";
import { listSymbols } from "./symbols.ts";
import { getUnderlyingPrice } from "./underlying.ts";

const endpoint = endpointsOf({
  name: "Market",
  description: "Tradable stock tokens, quotes, price history and corporate actions.",
});

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/symbols",
    field: "Query.symbols",
    title: "List symbols",
    cost: 5,
    input: symbolListShape,
    resolve: atBlock(scopeOf, joined(listSymbols)),
  }),
  endpoint({
    method: "GET",
    path: "/prices/:symbol",
    field: "Query.price",
    title: "Get a price",
    input: symbolShape,
    refusals: ["SYMBOL_NOT_FOUND"],
    resolve: atBlock(scopeOf, joined(getPrice)),
  }),
  endpoint({
    method: "GET",
    path: "/prices/:symbol/history",
    field: "Query.priceHistory",
    title: "Get price history",
    cost: HISTORY_COST,
    input: historyShape,
    refusals: ["SYMBOL_NOT_FOUND"],
    resolve: atBlock(scopeOf, getHistory),
  }),
  endpoint({
    method: "GET",
    path: "/underlying/:symbol/price",
    field: "Query.underlyingPrice",
    title: "Get an underlying price",
    input: symbolShape,
    refusals: ["SYMBOL_NOT_FOUND"],
    resolve: atBlock(scopeOf, joined(getUnderlyingPrice)),
  }),
  endpoint({
    method: "GET",
    path: "/corporate-action",
    field: "Query.corporateActions",
    title: "List corporate actions",
    cost: 5,
    input: actionsShape,
    resolve: atBlock(scopeOf, listCorporateActions),
  }),
];
