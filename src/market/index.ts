import { atBlock, endpointsOf, unindexed } from "../context/endpoint.ts";
import { joined } from "../context/joined.ts";
import { scopeOf } from "../context/request.ts";
import type { StreamEndpoint } from "../context/stream.ts";
import { HISTORY_COST, STREAM_COST } from "../protocol/costs.ts";
import { listTradingDays } from "./calendar.ts";
import { getClock } from "./clock.ts";
import { listCorporateActions } from "./corporate-action.ts";
import { getHistory } from "./history.ts";
import {
  actionsShape,
  calendarShape,
  historyShape,
  priceListShape,
  symbolListShape,
  symbolShape,
} from "./input.ts";
import { getPrice } from "./price.ts";
import { listPrices } from "./prices.ts";
import { listSymbols } from "./symbols.ts";
import { getUnderlyingPrice } from "./underlying.ts";

const TAG = {
  name: "Market",
  description:
    "Tradable stock tokens, quotes, price history, corporate actions and the sessions of the market.",
};
const endpoint = endpointsOf(TAG);

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
    path: "/prices",
    field: "Query.prices",
    title: "List prices",
    cost: 5,
    input: priceListShape,
    refusals: ["SYMBOL_NOT_FOUND"],
    resolve: atBlock(scopeOf, joined(listPrices)),
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

export const streams: readonly StreamEndpoint[] = [
  {
    method: "GET",
    path: "/prices/stream",
    field: "Query.prices",
    streams: true,
    operationId: "priceStream",
    title: "Stream prices",
    summary: "Prices of listed stocks as they change, as server-sent events",
    description: `The answer goes on until either side ends it. It begins with \`event: status\` and the price of each stock, so whoever connects again needs no id. Then \`event: price\` comes for each price that changed, its data as GET /prices answers it, as JSON on one line. A client that reads slowly gets the latest price of each stock.

\`event: status\` has \`{"session","stale","t"}\`, and comes again when one of the first two changes; \`stale\` is true while no quote is fresh. \`event: heartbeat\` has the same, every 15 s. Where nothing comes for longer, the stream is broken: connect again. \`event: closing\` is the last one of a stream that the server ends, with \`{"reason"}\`: shutdown or access. A client that does not read is disconnected.`,
    meanings: {},
    resumes: false,
    example: (price) => `retry: 1000

event: status
data: {"session":"regular","stale":false,"t":1795226400000}

event: price
data: ${JSON.stringify(price)}
`,
    cost: STREAM_COST,
    tag: TAG,
    input: priceListShape,
    refusals: ["SYMBOL_NOT_FOUND", "TOO_MANY_STREAMS"],
  },
];
