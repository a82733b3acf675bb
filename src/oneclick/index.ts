import { requireCaller, requireWriter } from "../auth/viewer.ts";
import { endpointsOf, unindexed } from "../context/endpoint.ts";
import type { RequestContext } from "../context/request.ts";
import { boundUserOf } from "./bound-user.ts";
import { disable } from "./disable.ts";
import { enable } from "./enable.ts";
import { enableShape, prepareShape } from "./input.ts";
import { prepare } from "./prepare.ts";
import { readStatus } from "./status.ts";

const endpoint = endpointsOf({
  name: "One click",
  description: "Letting this service send for a user: the delegation behind every /send endpoint.",
});

/** @throws ApiError USER_NOT_BOUND */
const requireBoundCaller = (context: RequestContext): void => void boundUserOf(requireCaller(context));

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/1ct/status",
    field: "Query.delegation",
    title: "Get the delegation",
    refusals: ["USER_NOT_BOUND"],
    resolve: unindexed(requireCaller, readStatus),
  }),
  endpoint({
    method: "POST",
    path: "/1ct/prepare",
    field: "Mutation.delegationPrepare",
    title: "Prepare a delegation",
    cost: 2,
    input: prepareShape,
    refusals: ["USER_NOT_BOUND", "DEADLINE_EXPIRED"],
    before: requireBoundCaller,
    resolve: unindexed(requireCaller, prepare),
  }),
  endpoint({
    method: "POST",
    path: "/1ct/enable",
    field: "Mutation.delegationEnable",
    title: "Enable one-click sending",
    cost: 2,
    input: enableShape,
    refusals: [
      "USER_NOT_BOUND",
      "DEADLINE_EXPIRED",
      "DELEGATION_NONCE_USED",
      "SIGNER_MISMATCH",
      "DELEGATION_NOT_ENABLED",
      "POLICY_REFUSED",
      "CHAIN_REVERT",
      "OUT_OF_GAS",
    ],
    before: requireBoundCaller,
    resolve: unindexed(requireWriter, enable),
  }),
  endpoint({
    method: "POST",
    path: "/1ct/disable",
    field: "Mutation.delegationDisable",
    title: "Disable one-click sending",
    cost: 2,
    refusals: ["USER_NOT_BOUND"],
    examples: { default: { status: "disabled" } },
    resolve: unindexed(requireWriter, disable),
  }),
];
