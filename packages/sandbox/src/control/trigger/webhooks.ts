import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { WebhookTestEvent } from "../../../../client/src/index.ts";
import { ControlError } from "../context.ts";
import { deposit } from "./operations.ts";
import { type Cause, having, requireSending, type Scene } from "./scene.ts";

/** A webhook of the key whose receiver is here, for as long as a cause runs. */
interface Received {
  webhookId: string;
  /** Bodies that were posted. */
  bodies: string[];
}

/** @param status of each answer */
async function withWebhook<T>(scene: Scene, status: number, work: (received: Received) => Promise<T>) {
  const { webhooks } = scene.trading;
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { webhook } = await webhooks.create({ url, types: "operation.completed" });
    try {
      return await work({ webhookId: webhook.webhookId, bodies });
    } finally {
      await webhooks.delete(webhook.webhookId);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const GONE = 410;
const TAKEN = 204;

/** Answers a delivery with 410. */
async function disabled(scene: Scene) {
  await requireSending(scene);
  return withWebhook(scene, GONE, async ({ webhookId }) => {
    await deposit(scene);
    return scene.seen(having("webhookId", webhookId));
  });
}

/** Tests all webhooks of the key, and one whose receiver is here. */
async function tested(scene: Scene) {
  const { webhooks } = scene.trading;
  return withWebhook(scene, TAKEN, async ({ bodies }) => {
    const { rows } = await webhooks.list();
    for (const { webhookId } of rows) await webhooks.test(webhookId);
    const [body] = bodies;
    if (body === undefined) throw new ControlError(409, "no test was posted");
    return JSON.parse(body) as WebhookTestEvent;
  });
}

export const webhookCauses = {
  "webhook.disabled": disabled,
  "webhook.test": tested,
} satisfies Record<string, Cause>;
