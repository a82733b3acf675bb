import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { inTransaction } from "../db/transaction.ts";
import { ApiError } from "../protocol/errors.ts";
import { type DeliveryRow, readDeliveries, readDelivery, revive } from "./delivery-store.ts";
import type { DeliveriesInput, RedeliverInput } from "./input.ts";
import { lockWebhook } from "./store.ts";
import { requireWebhook } from "./webhooks.ts";

/** GET /webhooks/{webhookId}/deliveries, newest event first. @throws ApiError WEBHOOK_NOT_FOUND, VALIDATION_FAILED (cursor) */
export async function listDeliveries(
  { pool }: Pick<Deps, "pool">,
  caller: Caller,
  { webhookId, status, limit, cursor }: DeliveriesInput,
) {
  const name = { list: `deliveries ${webhookId}`, chainId: caller.chainId, productType: caller.productType };
  const before = cursor === undefined ? null : BigInt(openCursor(name, cursor, "cursor", positionSchema)[0]);
  await requireWebhook(pool, caller, webhookId);
  const rows = await readDeliveries(pool, webhookId, { status, before, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = last && rows.length > limit ? sealCursor(name, [last.sequence]) : null;
  return { rows: page.map(presentDelivery), nextCursor };
}

const positionSchema = z.tuple([z.int().min(0)]);

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

function presentDelivery(row: DeliveryRow) {
  return {
    deliveryId: row.deliveryId,
    eventId: row.eventId,
    sequence: row.sequence,
    type: row.eventType,
    createdAt: row.eventAt,
    status: row.state,
    attempts: row.attempts,
    lastAttemptAt: row.lastAttemptAt,
    lastStatusCode: row.lastStatusCode,
    lastError: row.lastError,
    lastDurationMs: row.lastDurationMs,
    nextAttemptAt: row.nextAt,
    endedAt: row.endedAt,
  };
}
