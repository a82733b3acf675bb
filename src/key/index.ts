import { requireCaller } from "../auth/viewer.ts";
import { endpointsOf, unindexed } from "../context/endpoint.ts";
import { getKey } from "./get.ts";

const endpoint = endpointsOf({ name: "Key", description: "What the calling API key is and may do." });

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/key",
    field: "Query.key",
    resolve: unindexed(requireCaller, getKey),
  }),
];
