import type pg from "pg";
import { z } from "zod";
import { execute, queryMaybeOne } from "../db/query.ts";
import { type Sql, sql } from "../db/sql.ts";
import { inTransaction } from "../db/transaction.ts";
import type { WebhookDisabledReason } from "../protocol/enums.ts";
import { pendingFrom } from "./pending-store.ts";
import { presentWebhook } from "./present.ts";
import type { LeasedAttempt } from "./queue-store.ts";
import { RETRY_HOURS } from "./schedule.ts";
import { readAnyWebhook } from "./store.ts";

/** Results of attempts. */

export interface Outcome {
  statusCode: number | null;
  /** Null where it was delivered. */
  error: string | null;
  durationMs: number;
  /** Pause until the next attempt; null gives the delivery up. */
  pauseMs: number | null;
  /** True where the receiver answered 410: it takes no more events. */
  isGone: boolean;
}

export type Result = "delivered" | "failed" | "dead" | "superseded";

/** Failures of a receiver for this long without a success are an outage: its waiting deliveries are tried at the first success. */
const OUTAGE_MINUTES = 10;

const lockedSchema = z.object({ isDisabled: z.boolean(), isOver: z.boolean(), wasDown: z.boolean() });
const endedSchema = z.object({ state: z.enum(["pending", "delivered", "dead"]), object: z.string() });

/**
 * Writes the outcome of an attempt, in one transaction: the delivery's state, the next delivery of its object where it has ended,
 * and the webhook's state. A webhook that has failed for three days without a success, or is gone, is disabled, which is an
 * event.
 * @returns superseded where the lease did not hold any more: another process has made the attempt since, or will
 */
export async function writeOutcome(
  pool: pg.Pool,
  { webhookId, ...leased }: LeasedAttempt,
  outcome: Outcome,
): Promise<Result> {
  return inTransaction(pool, async (client) => {
    const before = await queryMaybeOne(
      client,
      sql`
        SELECT w.disabled_at IS NOT NULL AS is_disabled,
          coalesce(w.failing_since <= now() - make_interval(hours => ${RETRY_HOURS}::int), false) AS is_over,
          coalesce(w.failing_since <= now() - make_interval(mins => ${OUTAGE_MINUTES}::int), false) AS was_down
        FROM app.webhook w WHERE w.webhook_id = ${webhookId}::uuid AND w.deleted_at IS NULL FOR UPDATE`,
      lockedSchema,
    );
    if (!before) return "superseded";
    const ended = await storeResult(client, leased, outcome);
    if (!ended) return "superseded";
    await noteDuration(client, webhookId, outcome.durationMs);
    const { state, object } = ended;
    if (state !== "pending") await releaseNext(client, webhookId, object);
    if (outcome.error === null) {
      await noteSuccess(client, webhookId, before.wasDown);
      return "delivered";
    }
    await noteFailure(client, webhookId, leased);
    const reason = outcome.isGone ? "gone" : before.isOver ? "failing" : null;
    if (reason && !before.isDisabled) await disable(client, webhookId, reason);
    return state === "dead" ? "dead" : "failed";
  });
}

/** Stores the result of an attempt. The last attempt of a delivery is made when its time is up, and not before. */
async function storeResult(
  client: pg.PoolClient,
  { deliveryId, position, lease }: Omit<LeasedAttempt, "webhookId">,
  { statusCode, error, durationMs, pauseMs }: Outcome,
): Promise<z.output<typeof endedSchema> | null> {
  const isOver = sql`(${pauseMs === null}::boolean OR d.last_attempt_at >= d.began_at + ${RETRIED})`;
  const state = sql`CASE WHEN ${error === null}::boolean THEN 'delivered' WHEN ${isOver} THEN 'dead' ELSE 'pending' END`;
  return queryMaybeOne(
    client,
    sql`
      WITH next AS MATERIALIZED (SELECT ${state} AS state FROM app.webhook_delivery d
        WHERE d.delivery_id = ${deliveryId}::uuid AND d.position = ${position}::bigint AND d.lease = ${lease}::uuid)
      UPDATE app.webhook_delivery d SET state = n.state, lease = NULL, last_status_code = ${statusCode}::int,
        last_error = ${error}::text, last_duration_ms = ${durationMs}::int,
        ended_at = CASE WHEN n.state <> 'pending' THEN now() END,
        next_at = CASE WHEN n.state = 'pending' THEN
          least(now() + make_interval(secs => ${(pauseMs ?? 0) / 1000}::double precision), d.began_at + ${RETRIED}) END
      FROM next n WHERE d.delivery_id = ${deliveryId}::uuid AND d.position = ${position}::bigint RETURNING d.state, d.object`,
    endedSchema,
  );
}

const RETRIED = sql`make_interval(hours => ${RETRY_HOURS}::int)`;

/** Makes the earliest pending delivery of an object due. */
async function releaseNext(client: pg.PoolClient, webhookId: string, object: string): Promise<void> {
  await execute(
    client,
    sql`
      UPDATE app.webhook_delivery d SET next_at = now()
      WHERE d.next_at IS NULL AND (d.delivery_id, d.position) = (
        SELECT p.delivery_id, p.position FROM app.webhook_delivery p
        WHERE p.webhook_id = ${webhookId}::uuid AND p.object = ${object} AND p.state = 'pending'
          AND p.position >= ${pendingFrom(webhookId)}
        ORDER BY p.sequence LIMIT 1)`,
  );
}

/** Duration from which an attempt is slow. */
export const SLOW_MS = 1_000;
/** Quick attempts in a row that end slowness: a receiver that is slow at times stays slow. */
const SLOW_FOR = 10;

/** Marks a webhook as slow, or one attempt nearer to quick. One that stays quick is not written. */
async function noteDuration(client: pg.PoolClient, webhookId: string, durationMs: number): Promise<void> {
  const left = durationMs >= SLOW_MS ? sql`${SLOW_FOR}::int` : sql`greatest(0, slow_for - 1)`;
  await execute(
    client,
    sql`
      UPDATE app.webhook SET slow_for = ${left} WHERE webhook_id = ${webhookId}::uuid AND slow_for <> ${left}`,
  );
}

/** Ends the failure of a webhook. After an outage, every delivery that waits for its next attempt is due. */
async function noteSuccess(client: pg.PoolClient, webhookId: string, wasDown: boolean): Promise<void> {
  await execute(
    client,
    sql`
      WITH due AS (
        UPDATE app.webhook_delivery d SET next_at = now()
        WHERE ${wasDown}::boolean AND d.webhook_id = ${webhookId}::uuid AND d.state = 'pending' AND d.next_at > now()
          AND d.lease IS NULL AND d.position >= ${pendingFrom(webhookId)})
      UPDATE app.webhook SET failing_since = NULL WHERE webhook_id = ${webhookId}::uuid AND failing_since IS NOT NULL`,
  );
}

/** Marks a webhook as failing since the attempt began, so that the last attempt of its first failure is three days later. */
async function noteFailure(
  client: pg.PoolClient,
  webhookId: string,
  { deliveryId, position }: Pick<LeasedAttempt, "deliveryId" | "position">,
): Promise<void> {
  await execute(
    client,
    sql`
      UPDATE app.webhook SET failing_since = (
        SELECT d.last_attempt_at FROM app.webhook_delivery d
        WHERE d.delivery_id = ${deliveryId}::uuid AND d.position = ${position}::bigint)
      WHERE webhook_id = ${webhookId}::uuid AND failing_since IS NULL`,
  );
}

async function disable(
  client: pg.PoolClient,
  webhookId: string,
  reason: WebhookDisabledReason,
): Promise<void> {
  await execute(
    client,
    sql`
      UPDATE app.webhook SET disabled_reason = ${reason}, disabled_at = now() WHERE webhook_id = ${webhookId}::uuid`,
  );
  const row = await readAnyWebhook(client, webhookId);
  if (!row) return;
  // Last: it locks the log of the chain until the transaction ends. A function, because the deliverer's role may not write the
  // log.
  const data = JSON.stringify(presentWebhook(row));
  await execute(client, sql`SELECT app.append_webhook_disabled(${webhookId}::uuid, ${data}::json)`);
}

const REMOVED_BATCH = 5_000;

/**
 * Removes deliveries that ended, of events older than `days` days, in parts that block no statement for long; those of deleted webhooks,
 * and then these; and secrets that have ended. Partitions without pending deliveries go as a whole (src/db/partitions.ts).
 */
export async function removeOldDeliveries(pool: pg.Pool, days: number): Promise<void> {
  const hasEnded = sql`d.state <> 'pending'`;
  const old = sql`d.event_at < now() - make_interval(days => ${days}::int) AND ${hasEnded}`;
  // A delivery that is revived meanwhile is pending once its row is unlocked.
  await removeInParts(
    pool,
    sql`SELECT d.delivery_id, d.position FROM app.webhook_delivery d WHERE ${old}`,
    hasEnded,
  );
  await removeInParts(
    pool,
    sql`
      SELECT d.delivery_id, d.position FROM app.webhook w JOIN app.webhook_delivery d ON d.webhook_id = w.webhook_id
      WHERE w.deleted_at IS NOT NULL`,
    sql`true`,
  );
  await execute(
    pool,
    sql`
      WITH secrets AS (DELETE FROM app.webhook_secret s WHERE s.ends_at < now())
      DELETE FROM app.webhook w WHERE w.deleted_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM app.webhook_delivery d WHERE d.webhook_id = w.webhook_id)`,
  );
}

async function removeInParts(pool: pg.Pool, found: Sql, still: Sql): Promise<void> {
  for (let removed = REMOVED_BATCH; removed === REMOVED_BATCH; ) {
    removed = await execute(
      pool,
      sql`
        DELETE FROM app.webhook_delivery d USING (${found} LIMIT ${REMOVED_BATCH}) o
        WHERE d.delivery_id = o.delivery_id AND d.position = o.position AND ${still}`,
    );
  }
}
