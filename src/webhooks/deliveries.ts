import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { inTransaction } from "../db/transaction.ts";
import { openCursor, sealCursor } from "../input/list.ts";
import { ApiError } from "../protocol/errors.ts";
import { attempt } from "./attempt.ts";
import { type DeliveryRow, readDeliveries, readDelivery, revive } from "./delivery-store.ts";
import type { DeliveriesInput, RedeliverInput, WebhookInput } from "./input.ts";
import { requireNotPaused } from "./pause.ts";
import { type PresentedEvent, TEST_TYPE } from "./present.ts";
import { lockWebhook, readSecrets } from "./store.ts";
import { requireWebhook } from "./webhooks.ts";

type DeliveryDeps = Pick<Deps, "pool" | "webhooks" | "now">;

/** GET /webhooks/{webhookId}/deliveries, newest event first. @throws ApiError WEBHOOK_NOT_FOUND, VALIDATION_FAILED (cursor) */
export async function listDeliveries(
  { pool }: Pick<Deps, "pool">,
  caller: Caller,
  { webhookId, status, limit, cursor }: DeliveriesInput,
) {
  const name = { list: `deliveries ${webhookId}`, chainId: caller.chainId, productType: caller.productType };
  const before = cursor === undefined ? null : BigInt(openCursor(name, cursor, "cursor", placeSchema)[0]);
  await requireWebhook(pool, caller, webhookId);
  const rows = await readDeliveries(pool, webhookId, { status, before, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = last && rows.length > limit ? sealCursor(name, [last.sequence]) : null;
  return { rows: page.map(presentDelivery), nextCursor };
}

const placeSchema = z.tuple([z.int().min(0)]);

/**
 * POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver. The receiver sees the same webhook-id.
 * @throws ApiError WEBHOOK_NOT_FOUND
 */
export async function redeliver({ pool }: Pick<Deps, "pool">, caller: Caller, input: RedeliverInput) {
  const { webhookId, deliveryId } = input;
  await requireWebhook(pool, caller, webhookId);
  const row = await inTransaction(pool, async (client) => {
    if (await lockWebhook(client, caller, webhookId)) await revive(client, webhookId, deliveryId);
    return readDelivery(client, webhookId, deliveryId);
  });
  if (!row) throw new ApiError("WEBHOOK_NOT_FOUND", { param: "deliveryId", message: "No such delivery" });
  return presentDelivery(row);
}

/**
 * POST /webhooks/{webhookId}/test. Reveals no more of the receiver than a delivery does: it is the same target by the same rules.
 * @throws ApiError WEBHOOK_NOT_FOUND, POLICY_REFUSED (the operator paused it)
 */
export async function testWebhook(deps: DeliveryDeps, caller: Caller, { webhookId }: WebhookInput) {
  const webhook = await requireWebhook(deps.pool, caller, webhookId);
  requireNotPaused(webhook);
  const { url } = webhook;
  const secrets = await readSecrets(deps.pool, webhookId);
  if (secrets.length === 0) throw new ApiError("WEBHOOK_NOT_FOUND", { param: "webhookId" });
  const event: PresentedEvent = {
    ...{ eventId: randomUUID(), sequence: 0, type: TEST_TYPE, resource: "webhooks" },
    createdAt: Math.floor(deps.now() / 1000),
    ...{ blockNumber: null, txHash: null, retracts: null, data: { webhookId } },
  };
  const { statusCode, error, durationMs } = await attempt(deps, {
    ...{ webhookId, url, secrets, id: event.eventId, event },
  });
  return { delivered: error === null, statusCode, error, durationMs };
}

function presentDelivery(row: DeliveryRow) {
  return {
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    sequence: row.sequence,
    type: row.event_type,
    createdAt: row.event_at,
    status: row.state,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
    lastDurationMs: row.last_duration_ms,
    nextAttemptAt: row.next_at,
    endedAt: row.ended_at,
  };
}
