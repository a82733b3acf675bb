import type pg from "pg";
import { z } from "zod";
import { Prisma } from "../db/generated/client.ts";
import { select } from "../events/writer/changes-store.ts";
import { storedSeconds } from "../protocol/shapes.ts";
import { isSameHost } from "./pause.ts";
import { lockOwner, type WebhookUrl, webhookUrlSchema } from "./store.ts";

/** Webhooks of all keys, for the operator's command. */

const overviewSchema = z.object({
  webhook_id: z.string(),
  api_key: z.string(),
  chain_id: z.number(),
  product_type: z.string(),
  url: z.string(),
  disabled_reason: z.string().nullable(),
  failing_since: storedSeconds.nullable(),
  pending: z.number(),
  dead: z.number(),
});
export type WebhookOverview = z.output<typeof overviewSchema>;

/** Returns every webhook with its queue, by key. */
export async function readOverview(pool: pg.Pool): Promise<WebhookOverview[]> {
  const rows = await select(
    pool,
    Prisma.sql`
      SELECT w.webhook_id::text AS webhook_id, k.api_key, w.chain_id, w.product_type, w.url, w.disabled_reason,
        floor(extract(epoch FROM w.failing_since))::bigint::text AS failing_since,
        (SELECT count(*)::int FROM app.webhook_delivery d
          WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.position >= w.pending_from) AS pending,
        (SELECT count(*)::int FROM app.webhook_delivery d WHERE d.webhook_id = w.webhook_id AND d.state = 'dead') AS dead
      FROM app.webhook w JOIN app.api_key k ON k.key_id = w.key_id
      WHERE w.deleted_at IS NULL ORDER BY k.api_key, w.created_at, w.webhook_id`,
  );
  return rows.map((row) => overviewSchema.parse(row));
}

/** Locks a webhook of any key until the transaction ends. @returns false where there is none */
export async function lockAnyWebhook(client: pg.PoolClient, webhookId: string): Promise<boolean> {
  const rows = await select(
    client,
    Prisma.sql`
      SELECT 1 AS found FROM app.webhook w
      WHERE w.webhook_id = ${webhookId}::uuid AND w.deleted_at IS NULL FOR UPDATE`,
  );
  return rows.length > 0;
}

/**
 * Pauses a webhook that is locked: its key cannot enable or delete it, nor make another one of its host.
 * @returns enabled webhooks of the key that lead to the same host
 */
export async function pauseWebhook(client: pg.PoolClient, webhookId: string): Promise<WebhookUrl[]> {
  const [row] = await select(
    client,
    Prisma.sql`
      UPDATE app.webhook SET disabled_reason = 'paused_by_operator', disabled_at = coalesce(disabled_at, now())
      WHERE webhook_id = ${webhookId}::uuid RETURNING key_id::text AS "keyId", url`,
  );
  const { keyId, url } = pausedSchema.parse(row);
  await lockOwner(client, { keyId });
  const enabled = await select(
    client,
    Prisma.sql`
      SELECT w.webhook_id::text AS "webhookId", w.url FROM app.webhook w
      WHERE w.key_id = ${keyId}::uuid AND w.disabled_reason IS NULL AND w.deleted_at IS NULL
      ORDER BY w.created_at, w.webhook_id`,
  );
  return enabled
    .map((other) => webhookUrlSchema.parse(other))
    .filter((other) => isSameHost(new URL(other.url), new URL(url)));
}

const pausedSchema = z.object({ keyId: z.string(), url: z.string() });
