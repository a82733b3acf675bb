import { expect, it } from "@jest/globals";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { costMax, costOf, HISTORY_COST, LIST_COST } from "../../src/protocol/costs.ts";

it.each([
  [null, 3],
  ["interval=1d", 3],
  ["limit=0", 3],
  ["limit=1", 2],
  ["limit=50", 2],
  ["limit=51", 3],
  ["interval=1d&limit=5000&startTime=1", 101],
  ["limit=999999999", 101],
])("a history of %s costs %d", (query, cost) => {
  expect(costOf(HISTORY_COST, query)).toBe(cost);
});

it.each([
  "limit=%35000",
  "limit=+5000",
  "limit=5e3",
  "limit=",
  "limit=-1",
  "limit=5000.0",
  "limit=99999999999",
])("%s, which the handler may read in its own way, costs the most", (query) => {
  expect(costOf(HISTORY_COST, query)).toBe(costMax(HISTORY_COST));
});

it("a list's parameters that only end in limit are not its limit", () => {
  expect(costOf(LIST_COST, "xlimit=100")).toBe(2);
  expect(costOf(LIST_COST, "limit=100")).toBe(11);
  expect(costOf(5, "limit=100")).toBe(5);
});

it("every route that takes a limit costs by it", () => {
  const sized = ENDPOINTS.filter(({ cost }) => typeof cost === "object").map(({ path }) => path);
  expect(sized).toEqual([
    "/prices/:symbol/history",
    "/orders",
    "/cash/deposits",
    "/cash/withdrawals",
    "/stock/deposits",
    "/stock/withdrawals",
    "/users/:userId/activities",
    "/users/:userId/statement",
    "/sends",
    "/events",
    "/webhooks/:webhookId/deliveries",
  ]);
});
