import type { EventType, WebhookStatus } from "../protocol/enums.ts";
import type { WebhookRow } from "./store.ts";

/** Returns a webhook in the API's shape. */
export function presentWebhook(row: WebhookRow) {
  const status: WebhookStatus = row.disabledReason === null ? "enabled" : "disabled";
  return {
    webhookId: row.webhookId,
    url: row.url,
    types: row.types === "" ? null : row.types,
    status,
    disabledReason: row.disabledReason,
    disabledAt: row.disabledAt,
    createdAt: row.createdAt,
    failingSince: row.failingSince,
    oldestUndeliveredAt: row.oldestUndeliveredAt,
    previousSecretUntil: row.previousSecretUntil,
  };
}

/** Type of the event that tests a webhook; the log has none of it. */
export const TEST_TYPE = "webhook.test";

/** An event as GET /events answers it. */
export interface PresentedEvent {
  eventId: string;
  sequence: number;
  type: EventType | typeof TEST_TYPE;
  resource: string;
  createdAt: number;
  blockNumber: number | null;
  txHash: string | null;
  retracts: string | null;
  data: unknown;
}
