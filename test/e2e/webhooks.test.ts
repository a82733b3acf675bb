import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { canary } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import type { Mapping } from "../support/http/answers.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { type Receiver, startReceiver, verify } from "../webhooks/receiver.ts";

/** The way of an event from a partner's request, through event log, worker and deliverer, to the partner's own server. */
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
    sequence: 1,
    type: "order.mapped",
    resource: "orders",
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

it("a test is made by the deliverer, once, and costs next to nothing where the receiver answers without an end", async () => {
  const hints = Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(500));
  let connections = 0;
  const endless = createServer((socket) => {
    connections++;
    const more = (): void => {
      if (!socket.destroyed) socket.write(hints, () => setImmediate(more));
    };
    socket.on("error", () => undefined).once("data", more);
  });
  await new Promise<void>((resolve) => void endless.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(endless.address());
  const outcomes = [];
  for (const url of [receiver.url, `http://127.0.0.1:${port}/`]) {
    const { webhook } = await partner.must(
      partner.post<{ webhook: { webhookId: string } }>("/webhooks", { url, types: "order.mapped" }),
    );
    outcomes.push(await partner.must(partner.post(`/webhooks/${webhook.webhookId}/test`)));
    await partner.must(partner.delete(`/webhooks/${webhook.webhookId}`));
  }
  expect(outcomes).toEqual([
    { delivered: true, statusCode: 200, error: null, durationMs: expect.any(Number) },
    {
      delivered: false,
      statusCode: null,
      durationMs: expect.any(Number),
      error: "too many informational answers",
    },
  ]);
  expect(connections).toBe(1);
  await new Promise((resolve) => endless.close(resolve));
});
