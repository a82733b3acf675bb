import type pg from "pg";
import { z } from "zod";
import { queryOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import { floorOf, OF_WEBHOOK } from "../events/mark-store.ts";

const stateSchema = z.object({
  depth: z.coerce.number(),
  oldestSeconds: z.coerce.number(),
  /** Delays of webhooks whose last attempt did not fail: the delay that this service causes. */
  ownOldestSeconds: z.coerce.number(),
  failing: z.coerce.number(),
  enabled: z.coerce.number(),
  disabled: z.coerce.number(),
});

/** Queue of all webhooks. */
export type QueueState = z.output<typeof stateSchema>;

/** Returns the number and age of what is pending, and the webhooks. The age counts events without a delivery, too. */
export function readQueueState(pool: pg.Pool): Promise<QueueState> {
  return queryOne(
    pool,
    sql`
      SELECT coalesce(sum(q.depth) FILTER (WHERE w.disabled_at IS NULL), 0)::text AS depth,
        coalesce(extract(epoch FROM clock_timestamp() - min(least(q.oldest, l.oldest)) FILTER (WHERE w.disabled_at IS NULL)), 0)::text
          AS oldest_seconds,
        coalesce(extract(epoch FROM clock_timestamp() - min(least(q.oldest, l.oldest))
          FILTER (WHERE w.disabled_at IS NULL AND w.failing_since IS NULL)), 0)::text AS own_oldest_seconds,
        count(*) FILTER (WHERE w.disabled_at IS NULL AND w.failing_since IS NOT NULL)::text AS failing,
        count(*) FILTER (WHERE w.disabled_at IS NULL)::text AS enabled,
        count(*) FILTER (WHERE w.disabled_at IS NOT NULL)::text AS disabled
      FROM app.webhook w
      JOIN app.api_key k ON k.key_id = w.key_id AND k.active AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now())
      CROSS JOIN LATERAL (
        SELECT count(*) AS depth, min(d.event_at) AS oldest FROM app.webhook_delivery d
        WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.position >= w.pending_from) q
      CROSS JOIN LATERAL (SELECT ${floorOf(OF_WEBHOOK, sql`w.cursor`)} AS floor OFFSET 0) f
      CROSS JOIN LATERAL (
        SELECT min(n.created_at) AS oldest FROM (
          SELECT e.created_at FROM app.event e
          WHERE e.key_id = w.key_id AND e.chain_id = w.chain_id AND e.product_type = w.product_type AND e.sequence > w.cursor
            AND e.position >= f.floor
          ORDER BY e.sequence LIMIT 1) n) l
      WHERE w.deleted_at IS NULL`,
    stateSchema,
  );
}
