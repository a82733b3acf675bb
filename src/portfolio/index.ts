import { viewerOf } from "../auth/viewer.ts";
import { atBlock, endpointsOf } from "../context/endpoint.ts";
import { joined } from "../context/joined.ts";
import { scopeOf } from "../context/request.ts";
import { LIST_COST } from "../protocol/costs.ts";
import { listActivities } from "./activities.ts";
import { getBalance } from "./balance.ts";
import { getConfig } from "./config.ts";
import { activityListShape, balanceShape, positionsShape } from "./input.ts";
import { listPositions } from "./positions.ts";

const endpoint = endpointsOf({
  name: "Portfolio",
  description: "Configuration of the scoped chain and product, and what users hold.",
});

/** Listed apart from `endpoints`, because docs/endpoints.md has it before the market. */
export const configuration = [
  endpoint({
    method: "GET",
    path: "/config",
    field: "Query.config",
    resolve: atBlock(scopeOf, joined(getConfig)),
  }),
];

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/users/:userId/balance",
    field: "Query.balance",
    cost: 5,
    input: balanceShape,
    resolve: atBlock(scopeOf, joined(getBalance)),
  }),
  endpoint({
    method: "GET",
    path: "/users/:userId/positions",
    field: "Query.positions",
    cost: 5,
    input: positionsShape,
    resolve: atBlock(scopeOf, joined(listPositions)),
  }),
  endpoint({
    method: "GET",
    path: "/users/:userId/activities",
    field: "Query.activities",
    cost: LIST_COST,
    input: activityListShape,
    resolve: atBlock(viewerOf, listActivities),
  }),
];
