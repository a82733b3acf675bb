import { requireCaller } from "../auth/viewer.ts";
import { atBlock, endpointsOf } from "../context/endpoint.ts";
import { LIST_COST } from "../protocol/costs.ts";
import { getSend } from "./answer/get.ts";
import { sendIdShape, sendListShape } from "./answer/input.ts";
import { listSends } from "./answer/list.ts";

const endpoint = endpointsOf({
  name: "Sends",
  description: "What the calling key asked to send, whatever became of it.",
});

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/sends",
    field: "Query.sends",
    title: "List sends",
    cost: LIST_COST,
    logged: true,
    input: sendListShape,
    resolve: atBlock(requireCaller, listSends),
  }),
  endpoint({
    method: "GET",
    path: "/sends/:requestId",
    field: "Query.send",
    title: "Get a send",
    input: sendIdShape,
    refusals: ["SEND_NOT_FOUND"],
    resolve: atBlock(requireCaller, getSend),
  }),
];
