import type pg from "pg";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { SealedSecret } from "../auth/secrets.ts";
import { execute, queryMaybeOne, queryOne, queryRows } from "../db/query.ts";
import { raw, type Sql, sql } from "../db/sql.ts";
import { WEBHOOK_DISABLED_REASONS } from "../protocol/enums.ts";
import { storedSeconds } from "../protocol/shapes.ts";

/** Webhooks of keys, and their signing secrets. */

export type Client = pg.Pool | pg.PoolClient;
/** Owner of webhooks: one key in one scope. */
export type Owner = Pick<Caller, "keyId" | "chainId" | "productType">;

const webhookSchema = z.object({
  webhookId: z.string(),
  keyId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  url: z.string(),
  types: z.string(),
  disabledReason: z.enum(WEBHOOK_DISABLED_REASONS).nullable(),
  disabledAt: storedSeconds.nullable(),
  createdAt: storedSeconds,
  failingSince: storedSeconds.nullable(),
  oldestUndeliveredAt: storedSeconds.nullable(),
  previousSecretUntil: storedSeconds.nullable(),
});
export type WebhookRow = z.output<typeof webhookSchema>;

export const webhookUrlSchema = z.object({ webhookId: z.string(), url: z.string() });
/** Identifies a webhook by its id and URL. */
export type WebhookUrl = z.output<typeof webhookUrlSchema>;

const seconds = (expression: string): Sql => raw(`floor(extract(epoch FROM ${expression}))::bigint::text`);

const COLUMNS = sql`
  w.webhook_id::text AS webhook_id, w.key_id::text AS key_id, w.chain_id, w.product_type, w.url, w.types, w.disabled_reason,
  ${seconds("w.disabled_at")} AS disabled_at, ${seconds("w.created_at")} AS created_at,
  ${seconds("w.failing_since")} AS failing_since,
  (SELECT ${seconds("d.event_at")} FROM app.webhook_delivery d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending'
    AND d.position >= w.pending_from ORDER BY d.sequence LIMIT 1) AS oldest_undelivered_at,
  (SELECT ${seconds("max(s.ends_at)")} FROM app.webhook_secret s WHERE s.webhook_id = w.webhook_id AND s.ends_at > now())
    AS previous_secret_until`;

const ofOwner = ({ keyId, chainId, productType }: Owner): Sql => sql`
  w.key_id = ${keyId}::uuid AND w.chain_id = ${chainId} AND w.product_type = ${productType} AND w.deleted_at IS NULL`;

/** Returns the webhooks of an owner, oldest first. */
export async function readWebhooks(client: Client, owner: Owner): Promise<WebhookRow[]> {
  return queryRows(
    client,
    sql`
      SELECT ${COLUMNS} FROM app.webhook w WHERE ${ofOwner(owner)} ORDER BY w.created_at, w.webhook_id`,
    webhookSchema,
  );
}

/** Returns the paused webhooks of a key, in all its scopes. */
export async function readPaused(client: Client, { keyId }: Pick<Owner, "keyId">): Promise<WebhookUrl[]> {
  return queryRows(
    client,
    sql`
      SELECT w.webhook_id::text AS webhook_id, w.url FROM app.webhook w
      WHERE w.key_id = ${keyId}::uuid AND w.disabled_reason = 'paused_by_operator' AND w.deleted_at IS NULL`,
    webhookUrlSchema,
  );
}

/** Returns a webhook of an owner, or null. */
export async function readWebhook(
  client: Client,
  owner: Owner,
  webhookId: string,
): Promise<WebhookRow | null> {
  return queryMaybeOne(
    client,
    sql`SELECT ${COLUMNS} FROM app.webhook w WHERE w.webhook_id = ${webhookId}::uuid AND ${ofOwner(owner)}`,
    webhookSchema,
  );
}

/** Returns any webhook that is not deleted. */
export async function readAnyWebhook(client: Client, webhookId: string): Promise<WebhookRow | null> {
  return queryMaybeOne(
    client,
    sql`
      SELECT ${COLUMNS} FROM app.webhook w WHERE w.webhook_id = ${webhookId}::uuid AND w.deleted_at IS NULL`,
    webhookSchema,
  );
}

/** Serializes creating and pausing webhooks of a key, so that they can be counted, and none is created beside a pause. */
export async function lockOwner(client: pg.PoolClient, { keyId }: Pick<Owner, "keyId">): Promise<void> {
  await execute(client, sql`SELECT pg_advisory_xact_lock(hashtextextended(${`webhooks ${keyId}`}, 0))::text`);
}

/**
 * Locks a webhook until the transaction ends. Everything that creates, ends or revives deliveries locks it first, so that the
 * earliest delivery of an object is stable.
 * @returns false where the owner has no such webhook
 */
export async function lockWebhook(client: pg.PoolClient, owner: Owner, webhookId: string): Promise<boolean> {
  return (
    (await execute(
      client,
      sql`
      SELECT 1 AS found FROM app.webhook w WHERE w.webhook_id = ${webhookId}::uuid AND ${ofOwner(owner)} FOR UPDATE`,
    )) > 0
  );
}

/** Inserts a webhook whose deliveries begin behind the last event of the log. */
export async function insertWebhook(
  client: pg.PoolClient,
  { keyId, chainId, productType, envelopeUuid }: Owner & Pick<Caller, "envelopeUuid">,
  { webhookId, url, types }: { webhookId: string; url: string; types: string },
): Promise<void> {
  await execute(
    client,
    sql`
      INSERT INTO app.webhook (webhook_id, key_id, chain_id, product_type, url, types, cursor,
        envelope_uuid)
      SELECT ${webhookId}::uuid, ${keyId}::uuid, ${chainId}::int, ${productType}, ${url}, ${types},
        coalesce((SELECT h.sequence FROM app.event_head h WHERE h.key_id = ${keyId}::uuid AND h.chain_id = ${chainId}
          AND h.product_type = ${productType}), 0), ${envelopeUuid ?? null}::uuid`,
  );
}

export async function insertSecret(
  client: pg.PoolClient,
  webhookId: string,
  { sealed, masterKeyId }: SealedSecret,
): Promise<void> {
  await execute(
    client,
    sql`
      INSERT INTO app.webhook_secret (webhook_id, sealed, sealing_key_id)
      VALUES (${webhookId}::uuid, ${sealed}, ${masterKeyId})`,
  );
}

/**
 * Lets every secret of a webhook end with the overlap, unless it ends sooner. The column would round the time up, into the
 * future.
 */
export async function endSecrets(
  client: pg.PoolClient,
  webhookId: string,
  overlapSeconds: number,
): Promise<void> {
  await execute(
    client,
    sql`
      UPDATE app.webhook_secret s
      SET ends_at = least(s.ends_at,
        date_trunc('milliseconds', now()) + make_interval(secs => ${overlapSeconds}::double precision))
      WHERE s.webhook_id = ${webhookId}::uuid`,
  );
}

const isSigning = (of: Sql): Sql =>
  sql`FROM app.webhook_secret s WHERE s.webhook_id = ${of} AND (s.ends_at IS NULL OR s.ends_at > now())`;

/** Secrets that sign for the webhook `w` now, newest first, as a scalar subquery: signingSchema reads them. */
export const SIGNING = sql`
  (SELECT coalesce(json_agg(json_build_object('sealed', encode(s.sealed, 'base64'), 'sealing_key_id', s.sealing_key_id)
    ORDER BY s.secret_id DESC), '[]') ${isSigning(sql`w.webhook_id`)})`;

export const signingSchema = z.array(
  z
    .object({ sealed: z.string(), sealing_key_id: z.string() })
    .transform(
      (row): SealedSecret => ({ sealed: Buffer.from(row.sealed, "base64"), masterKeyId: row.sealing_key_id }),
    ),
);

const countSchema = z.object({ signing: z.number() });

/** Returns the number of secrets that sign for a webhook now. */
export async function countSigning(client: Client, webhookId: string): Promise<number> {
  const statement = sql`SELECT count(*)::int AS signing ${isSigning(sql`${webhookId}::uuid`)}`;
  return (await queryOne(client, statement, countSchema)).signing;
}

/** Deletes a webhook that is locked: its secrets at once, its deliveries by the deliverer (removeOldDeliveries). */
export async function markDeleted(client: pg.PoolClient, webhookId: string): Promise<void> {
  await execute(
    client,
    sql`
      WITH secrets AS (DELETE FROM app.webhook_secret s WHERE s.webhook_id = ${webhookId}::uuid)
      UPDATE app.webhook SET deleted_at = now() WHERE webhook_id = ${webhookId}::uuid`,
  );
}

/** Enables a locked webhook, and makes its pending deliveries due. */
export async function enableWebhook(client: pg.PoolClient, webhookId: string): Promise<void> {
  await execute(
    client,
    sql`
      WITH due AS (
        UPDATE app.webhook_delivery d SET next_at = now()
        WHERE d.webhook_id = ${webhookId}::uuid AND d.state = 'pending' AND d.next_at IS NOT NULL AND d.lease IS NULL)
      UPDATE app.webhook SET disabled_reason = NULL, disabled_at = NULL, failing_since = NULL
      WHERE webhook_id = ${webhookId}::uuid`,
  );
}
