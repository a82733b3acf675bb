import { atBlock, endpointsOf, unindexed } from "../context/endpoint.ts";
import { joined } from "../context/joined.ts";
import { scopeOf } from "../context/request.ts";
import { HISTORY_COST } from "../protocol/costs.ts";
import { listTradingDays } from "./calendar.ts";
import { getClock } from "./clock.ts";
import { listCorporateActions } from "./corporate-action.ts";
import { getHistory } from "./history.ts";
import { actionsShape, calendarShape, historyShape, symbolListShape, symbolShape } from "./input.ts";
import { getPrice } from "./price.ts";
import { listSymbols } from "./symbols.ts";
import { getUnderlyingPrice } from "./underlying.ts";

const endpoint = endpointsOf({
  name: "Market",
  description:
    "Tradable stock tokens, quotes, price history, corporate actions and the sessions of the market.",
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
  endpoint({
    method: "GET",
    path: "/clock",
    field: "Query.clock",
    title: "Get the market clock",
    resolve: unindexed(scopeOf, getClock),
  }),
  endpoint({
    method: "GET",
    path: "/calendar",
    field: "Query.calendar",
    title: "List trading days",
    cost: 5,
    input: calendarShape,
    resolve: unindexed(scopeOf, listTradingDays),
  }),
];
