import { requireCaller } from "../auth/viewer.ts";
import { endpointsOf, unindexed } from "../context/endpoint.ts";
import { LIST_COST } from "../protocol/costs.ts";
import { eventListShape } from "./input.ts";
import { listEvents } from "./list.ts";

const endpoint = endpointsOf({
  name: "Events",
  description: "What happened to the orders and operations of the calling key, in order.",
});

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/events",
    field: "Query.events",
    cost: LIST_COST,
    input: eventListShape,
    refusals: ["CURSOR_EXPIRED"],
    resolve: unindexed(requireCaller, listEvents),
  }),
];
