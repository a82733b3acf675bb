import { requireCaller } from "../../auth/viewer.ts";
import { endpointsOf, unindexed } from "../../context/endpoint.ts";
import { getStatus } from "./get.ts";

const endpoint = endpointsOf({
  name: "Status",
  description: "How the service is, and announced maintenance.",
});

/** Cost of a call that may ask a node of each chain, and the market data provider. */
const STATUS_COST = 5;

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/status",
    field: "Query.status",
    title: "Get the status of the service",
    cost: STATUS_COST,
    resolve: unindexed(requireCaller, getStatus),
  }),
];
