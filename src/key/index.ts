import { requireCaller } from "../auth/viewer.ts";
import { endpointsOf, unindexed } from "../context/endpoint.ts";
import { getKey } from "./get.ts";
import { rotateShape } from "./input.ts";
import { rotateKey } from "./rotate.ts";

const endpoint = endpointsOf({ name: "Key", description: "What the calling API key is and may do." });

/** Cost of a call that writes the key, its audit, and makes every replica read the key again. */
const ROTATE_COST = 20;

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/key",
    field: "Query.key",
    title: "Get the calling key",
    resolve: unindexed(requireCaller, getKey),
  }),
  endpoint({
    method: "POST",
    path: "/key/rotate",
    field: "Mutation.keyRotate",
    title: "Rotate the secret",
    cost: ROTATE_COST,
    input: rotateShape,
    refusals: ["KEY_CHANGED"],
    resolve: unindexed(requireCaller, rotateKey),
  }),
];
