import type pg from "pg";
import { z } from "zod";
import { execute, queryOne, queryRows } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import { storedSeconds } from "../protocol/shapes.ts";
import { isSameHost } from "./pause.ts";
import { lockOwner, type WebhookUrl, webhookUrlSchema } from "./store.ts";

/** Webhooks of all keys, for the operator's command. */

const overviewSchema = z.object({
  webhookId: z.string(),
  apiKey: z.string(),
  chainId: z.number(),
  productType: z.string(),
  url: z.string(),
  disabledReason: z.string().nullable(),
  failingSince: storedSeconds.nullable(),
  pending: z.number(),
  dead: z.number(),
});
export type WebhookOverview = z.output<typeof overviewSchema>;

/** Returns every webhook with its queue, by key. */
export async function readOverview(pool: pg.Pool): Promise<WebhookOverview[]> {
  return queryRows(
    pool,
    sql`
      SELECT w.webhook_id::text AS webhook_id, k.api_key, w.chain_id, w.product_type, w.url, w.disabled_reason,
        floor(extract(epoch FROM w.failing_since))::bigint::text AS failing_since,
        (SELECT count(*)::int FROM app.webhook_delivery d
          WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.position >= w.pending_from) AS pending,
        (SELECT count(*)::int FROM app.webhook_delivery d WHERE d.webhook_id = w.webhook_id AND d.state = 'dead') AS dead
      FROM app.webhook w JOIN app.api_key k ON k.key_id = w.key_id
      WHERE w.deleted_at IS NULL ORDER BY k.api_key, w.created_at, w.webhook_id`,
    overviewSchema,
  );
}

/** Locks a webhook of any key until the transaction ends. @returns false where there is none */
export async function lockAnyWebhook(client: pg.PoolClient, webhookId: string): Promise<boolean> {
  return (
    (await execute(
      client,
      sql`
      SELECT 1 AS found FROM app.webhook w
      WHERE w.webhook_id = ${webhookId}::uuid AND w.deleted_at IS NULL FOR UPDATE`,
    )) > 0
  );
}

/**
 * Pauses a webhook that is locked: its key cannot enable or delete it, nor create another one for its host.
 * @returns the key's enabled webhooks for the same host
 */
export async function pauseWebhook(client: pg.PoolClient, webhookId: string): Promise<WebhookUrl[]> {
  const { keyId, url } = await queryOne(
    client,
    sql`
      UPDATE app.webhook SET disabled_reason = 'paused_by_operator', disabled_at = coalesce(disabled_at, now())
      WHERE webhook_id = ${webhookId}::uuid RETURNING key_id::text AS key_id, url`,
    pausedSchema,
  );
  await lockOwner(client, { keyId });
  const enabled = await queryRows(
    client,
    sql`
      SELECT w.webhook_id::text AS webhook_id, w.url FROM app.webhook w
      WHERE w.key_id = ${keyId}::uuid AND w.disabled_reason IS NULL AND w.deleted_at IS NULL
      ORDER BY w.created_at, w.webhook_id`,
    webhookUrlSchema,
  );
  return enabled.filter((other) => isSameHost(new URL(other.url), new URL(url)));
}

const pausedSchema = z.object({ keyId: z.string(), url: z.string() });
