import { viewerOf } from "../auth/viewer.ts";
import { atBlock, endpointsOf } from "../context/endpoint.ts";
import { joined } from "../context/joined.ts";
import { scopeOf } from "../context/request.ts";
import { LIST_COST, STATEMENT_COST } from "../protocol/costs.ts";
import { listActivities } from "./activities.ts";
import { getBalance } from "./balance.ts";
import { getConfig } from "./config.ts";
import { activityListShape, balanceShape, positionsShape, statementShape } from "./input.ts";
import { listPositions } from "./positions.ts";
import { getStatement } from "./statement.ts";

const endpoint = endpointsOf({
  name: "Portfolio",
  description: "What users hold, what it is worth, and how it came about.",
});
const configurationEndpoint = endpointsOf({
  name: "Configuration",
  description: "Contracts, buffers, limits and fees of the scoped chain and product.",
});

/** Listed apart from `endpoints`: partners read it first. */
export const configuration = [
  configurationEndpoint({
    method: "GET",
    path: "/config",
    field: "Query.config",
    title: "Get the configuration",
    resolve: atBlock(scopeOf, joined(getConfig)),
  }),
];

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/users/:userId/balance",
    field: "Query.balance",
    title: "Get a balance",
    cost: 5,
    input: balanceShape,
    resolve: atBlock(scopeOf, joined(getBalance)),
  }),
  endpoint({
    method: "GET",
    path: "/users/:userId/positions",
    field: "Query.positions",
    title: "List positions",
    cost: 5,
    input: positionsShape,
    resolve: atBlock(scopeOf, joined(listPositions)),
  }),
  endpoint({
    method: "GET",
    path: "/users/:userId/activities",
    field: "Query.activities",
    title: "List activities",
    cost: LIST_COST,
    input: activityListShape,
    resolve: atBlock(viewerOf, listActivities),
  }),
  endpoint({
    method: "GET",
    path: "/users/:userId/statement",
    field: "Query.statement",
    title: "Get a statement",
    cost: STATEMENT_COST,
    input: statementShape,
    resolve: atBlock(viewerOf, getStatement),
  }),
];
