import { requireCaller, requireWriter } from "../auth/viewer.ts";
import { endpointsOf, unindexed } from "../context/endpoint.ts";
import { LIST_COST } from "../protocol/costs.ts";
import { listDeliveries, redeliver } from "./deliveries.ts";
import { createShape, deliveriesShape, redeliverShape, rotateShape, webhookShape } from "./input.ts";
import { testWebhook } from "./test-request.ts";
import { createWebhook, deleteWebhook, enable, listWebhooks, rotateWebhook } from "./webhooks.ts";

const endpoint = endpointsOf({
  name: "Webhooks",
  description: "Having events delivered: signed, at least once, and in order per object.",
});

/** Cost of a call that looks up a host, or has a deliverer post to a partner's server. */
const CREATE_COST = 20;
const TEST_COST = 100;

export const endpoints = [
  endpoint({
    method: "GET",
    path: "/webhooks",
    field: "Query.webhooks",
    title: "List webhooks",
    cost: 2,
    resolve: unindexed(requireCaller, listWebhooks),
  }),
  endpoint({
    method: "POST",
    path: "/webhooks",
    field: "Mutation.webhookCreate",
    title: "Create a webhook",
    cost: CREATE_COST,
    input: createShape,
    refusals: ["WEBHOOK_TARGET_REFUSED", "POLICY_REFUSED"],
    resolve: unindexed(requireWriter, createWebhook),
  }),
  endpoint({
    method: "DELETE",
    path: "/webhooks/:webhookId",
    field: "Mutation.webhookDelete",
    title: "Delete a webhook",
    cost: 2,
    input: webhookShape,
    refusals: ["WEBHOOK_NOT_FOUND", "POLICY_REFUSED"],
    resolve: unindexed(requireCaller, deleteWebhook),
  }),
  endpoint({
    method: "POST",
    path: "/webhooks/:webhookId/test",
    field: "Mutation.webhookTest",
    title: "Test a webhook",
    cost: TEST_COST,
    input: webhookShape,
    refusals: ["WEBHOOK_NOT_FOUND", "POLICY_REFUSED"],
    resolve: unindexed(requireCaller, testWebhook),
  }),
  endpoint({
    method: "POST",
    path: "/webhooks/:webhookId/rotate",
    field: "Mutation.webhookRotate",
    title: "Rotate a webhook's secret",
    cost: 2,
    input: rotateShape,
    refusals: ["WEBHOOK_NOT_FOUND"],
    examples: { default: { webhook: { previousSecretUntil: 1_795_312_800 } } },
    resolve: unindexed(requireCaller, rotateWebhook),
  }),
  endpoint({
    method: "POST",
    path: "/webhooks/:webhookId/enable",
    field: "Mutation.webhookEnable",
    title: "Enable a webhook",
    cost: 2,
    input: webhookShape,
    refusals: ["WEBHOOK_NOT_FOUND", "POLICY_REFUSED"],
    resolve: unindexed(requireCaller, enable),
  }),
  endpoint({
    method: "GET",
    path: "/webhooks/:webhookId/deliveries",
    field: "Query.webhookDeliveries",
    title: "List deliveries",
    cost: LIST_COST,
    input: deliveriesShape,
    refusals: ["WEBHOOK_NOT_FOUND"],
    resolve: unindexed(requireCaller, listDeliveries),
  }),
  endpoint({
    method: "POST",
    path: "/webhooks/:webhookId/deliveries/:deliveryId/redeliver",
    field: "Mutation.webhookRedeliver",
    title: "Redeliver an event",
    cost: 2,
    input: redeliverShape,
    refusals: ["WEBHOOK_NOT_FOUND"],
    examples: { default: { status: "pending", endedAt: null } },
    resolve: unindexed(requireCaller, redeliver),
  }),
];
