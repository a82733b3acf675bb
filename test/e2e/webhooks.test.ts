import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { canary } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import type { Mapping } from "../support/http/answers.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { type Receiver, startReceiver, verify } from "../webhooks/receiver.ts";

/** From a partner's request, through the log and the worker, to the partner's own server, each program under its own role. */
const state = readSandboxState();
const chain = present(state.chains[0], "a chain");

let receiver: Receiver;
let partner: Partner;

beforeAll(async () => {
  receiver = await startReceiver();
  partner = createPartner(state.baseUrl, await makeSandboxKey(chain));
});
afterAll(() => receiver?.close());

it("an event reaches the partner's server, signed, and is listed as delivered", async () => {
  const { webhook, secret } = await partner.must(
    partner.post<{ webhook: { webhookId: string }; secret: string }>("/webhooks", {
      url: receiver.url,
      types: "order.mapped",
    }),
  );
  canary("webhook secret", secret);
  const txHash = `0x${randomBytes(32).toString("hex")}`;
  const mapping = await partner.must(partner.post<Mapping>("/orders/tx", { txHash }));
  const request = await until("the event", () => receiver.received[0]);
  expect(verify(secret, request)).toMatchObject({
    ...{ sequence: 1, type: "order.mapped", resource: "orders" },
    data: { status: "Init", mapping: { mappingId: mapping.mappingId, txHash } },
  });
  const path = `/webhooks/${webhook.webhookId}/deliveries`;
  await until("the outcome", async () => {
    const { rows } = await partner.must(partner.get<{ rows: { status: string }[] }>(path));
    return rows[0]?.status === "delivered" || undefined;
  });
  expect(request.headers["webhook-id"]).toBeDefined();
  await partner.must(partner.delete(`/webhooks/${webhook.webhookId}`));
});
