import type pg from "pg";
import { z } from "zod";
import { queryMaybeOne, queryOne, queryRows } from "../db/query.ts";
import { empty, raw, type Sql, sql } from "../db/sql.ts";
import { DELIVERY_STATUSES, type DeliveryStatus, EVENT_TYPES } from "../protocol/enums.ts";
import { storedSeconds } from "../protocol/shapes.ts";
import type { Client } from "./store.ts";

/** Deliveries, as their owners and the operator see and change them. */

const deliverySchema = z.object({
  deliveryId: z.string(),
  eventId: z.string(),
  sequence: z.coerce.number(),
  eventType: z.enum(EVENT_TYPES),
  eventAt: storedSeconds,
  state: z.enum(DELIVERY_STATUSES),
  attempts: z.number(),
  lastAttemptAt: storedSeconds.nullable(),
  lastStatusCode: z.number().nullable(),
  lastError: z.string().nullable(),
  lastDurationMs: z.number().nullable(),
  nextAt: storedSeconds.nullable(),
  endedAt: storedSeconds.nullable(),
});
export type DeliveryRow = z.output<typeof deliverySchema>;

const seconds = (column: string): Sql =>
  raw(`floor(extract(epoch FROM d.${column}))::bigint::text AS ${column}`);

const COLUMNS = sql`
  d.delivery_id::text AS delivery_id, d.event_id::text AS event_id, d.sequence::text AS sequence, d.event_type,
  ${seconds("event_at")}, d.state, d.attempts, ${seconds("last_attempt_at")}, d.last_status_code, d.last_error,
  d.last_duration_ms, ${seconds("next_at")}, ${seconds("ended_at")}`;

export interface DeliveryPart {
  status?: DeliveryStatus | undefined;
  /** Deliveries of events before this one; null starts at the newest. */
  before: bigint | null;
  limit: number;
}

/** Returns deliveries of a webhook, newest event first. */
export async function readDeliveries(
  client: Client,
  webhookId: string,
  { status, before, limit }: DeliveryPart,
): Promise<DeliveryRow[]> {
  const inState = status ? sql`AND d.state = ${status}` : empty;
  const isBefore = before === null ? empty : sql`AND d.sequence < ${before}`;
  return queryRows(
    client,
    sql`
      SELECT ${COLUMNS} FROM app.webhook_delivery d
      WHERE d.webhook_id = ${webhookId}::uuid ${inState} ${isBefore} ORDER BY d.sequence DESC LIMIT ${limit}`,
    deliverySchema,
  );
}

/** Returns a delivery of a webhook, or null. */
export async function readDelivery(
  client: Client,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRow | null> {
  return queryMaybeOne(
    client,
    sql`
      SELECT ${COLUMNS} FROM app.webhook_delivery d
      WHERE d.delivery_id = ${deliveryId}::uuid AND d.webhook_id = ${webhookId}::uuid`,
    deliverySchema,
  );
}

const revivedSchema = z.object({ revived: z.number() });

/**
 * Makes deliveries of a locked webhook pending again: one of them, or all that are dead. A delivery waits for an earlier pending
 * one of its object, also for one of these. A delivery that was pending already becomes due now. Lowers the bound of searches for
 * pending deliveries to these (pending-store.ts).
 * @param deliveryId null: all that are dead
 * @returns their number
 */
export async function revive(
  client: pg.PoolClient,
  webhookId: string,
  deliveryId: string | null,
): Promise<number> {
  const chosen = deliveryId === null ? sql`d.state = 'dead'` : sql`d.delivery_id = ${deliveryId}::uuid`;
  const { revived } = await queryOne(
    client,
    sql`
      WITH chosen AS MATERIALIZED (
        SELECT d.delivery_id, d.position, d.object, d.sequence FROM app.webhook_delivery d
        WHERE d.webhook_id = ${webhookId}::uuid AND ${chosen} AND d.lease IS NULL
      ), first AS (
        SELECT c.delivery_id, c.position, NOT EXISTS (
            SELECT 1 FROM app.webhook_delivery p WHERE p.webhook_id = ${webhookId}::uuid AND p.state = 'pending'
              AND p.object = c.object AND p.sequence < c.sequence)
          AND NOT EXISTS (SELECT 1 FROM chosen o WHERE o.object = c.object AND o.sequence < c.sequence) AS is_first
        FROM chosen c
      ), revived AS (
        UPDATE app.webhook_delivery d SET state = 'pending', ended_at = NULL,
          next_at = CASE WHEN f.is_first THEN now() END,
          attempts = CASE d.state WHEN 'pending' THEN d.attempts ELSE 0 END,
          began_at = CASE d.state WHEN 'pending' THEN d.began_at END
        FROM first f WHERE d.delivery_id = f.delivery_id AND d.position = f.position RETURNING d.position
      ), lowered AS (
        UPDATE app.webhook w SET pending_from = least(w.pending_from, (SELECT min(r.position) FROM revived r))
        WHERE w.webhook_id = ${webhookId}::uuid
      )
      SELECT count(*)::int AS revived FROM revived`,
    revivedSchema,
  );
  return revived;
}
