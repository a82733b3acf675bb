import type pg from "pg";
import { z } from "zod";
import { parseTypes } from "../context/input/event-types.ts";
import { queryMaybeOne, queryOne, queryRows } from "../db/query.ts";
import { empty, type Sql, sql } from "../db/sql.ts";
import { inTransaction } from "../db/transaction.ts";
import { floorOf, OF_WEBHOOK } from "../events/mark-store.ts";
import { eventSchema } from "../events/read-store.ts";
import { pendingFrom } from "./pending-store.ts";
import { SIGNING, signingSchema } from "./store.ts";

/** The queue of deliveries: enqueueing events and leasing attempts. */

/** Maximum number of events in one transaction. */
const EVENTS_MAX = 500;
/** Pending deliveries of a webhook beyond which its events wait in the log. */
const PENDING_MAX = 10_000;
/** Maximum number of webhooks in one run. */
const WEBHOOKS_MAX = 100;
/**
 * Webhooks by how long their receivers take to answer. Slow ones get fewer attempts at a time, and share slots of their own: they keep
 * none that quick ones need.
 */
export type Lane = "quick" | "slow";
/** Attempts under way at once: of a webhook, of one that fails, of all webhooks of a key, and of those of them that are slow. */
const PER_WEBHOOK: Record<Lane, number> = { quick: 8, slow: 2 };
const PER_FAILING_WEBHOOK = 1;
const PER_KEY = 16;
const PER_KEY_SLOW = 4;
/** Duration of a lease: longer than an attempt may take, with the transaction that writes its outcome. */
const LEASE_SECONDS = 30;

/** Condition of delivery to a webhook: it is enabled, and its key may still use the scope. */
const IS_LIVE = sql`
  w.deleted_at IS NULL AND w.disabled_at IS NULL AND EXISTS (
    SELECT 1 FROM app.api_key k JOIN app.api_key_scope s ON s.key_id = k.key_id
    WHERE k.key_id = w.key_id AND s.chain_id = w.chain_id AND s.product_type = w.product_type
      AND k.active AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))`;

const idSchema = z.object({ webhookId: z.string() });

/** Returns webhooks whose log has events without a delivery. */
export async function readBehind(pool: pg.Pool): Promise<string[]> {
  const rows = await queryRows(
    pool,
    sql`
      WITH behind AS MATERIALIZED (
        SELECT w.webhook_id, w.pending_from FROM app.webhook w
        JOIN app.event_head h ON h.key_id = w.key_id AND h.chain_id = w.chain_id AND h.product_type = w.product_type
        WHERE h.sequence > w.cursor AND ${IS_LIVE}
      )
      SELECT b.webhook_id::text AS webhook_id FROM behind b CROSS JOIN LATERAL (
        SELECT count(*) AS pending FROM (
          SELECT 1 FROM app.webhook_delivery d WHERE d.webhook_id = b.webhook_id AND d.state = 'pending'
            AND d.position >= b.pending_from
          LIMIT ${PENDING_MAX}) p) q
      WHERE q.pending < ${PENDING_MAX}
      ORDER BY random() LIMIT ${WEBHOOKS_MAX}`,
    idSchema,
  );
  return rows.map((row) => row.webhookId);
}

const lockedSchema = z.object({
  keyId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  types: z.string(),
  cursor: z.coerce.bigint(),
});
type LockedWebhook = z.output<typeof lockedSchema>;
const enqueuedSchema = z.object({ scanned: z.number() });

/**
 * Enqueues deliveries of the next events of a webhook, and moves its cursor past them, in one transaction. The first of an object
 * is due, those behind it wait.
 * @param waitMs time limit for the webhook's lock
 * @returns locked where another transaction has locked the webhook, or where it is gone; more where more is left
 * @throws ApiError DATABASE_UNAVAILABLE where the lock timed out (isLockTimeout)
 */
export async function enqueue(
  pool: pg.Pool,
  webhookId: string,
  waitMs = 0,
): Promise<"complete" | "more" | "locked"> {
  return inTransaction(pool, async (client) => {
    const webhook = await lockWebhook(client, webhookId, waitMs);
    if (!webhook) return "locked";
    return (await makeDeliveries(client, webhookId, webhook)) < EVENTS_MAX ? "complete" : "more";
  });
}

async function lockWebhook(
  client: pg.PoolClient,
  webhookId: string,
  waitMs: number,
): Promise<LockedWebhook | null> {
  if (waitMs > 0) await client.query(`SET LOCAL lock_timeout = ${waitMs}`);
  return queryMaybeOne(
    client,
    sql`
      SELECT w.key_id::text AS key_id, w.chain_id, w.product_type, w.types, w.cursor::text AS cursor
      FROM app.webhook w WHERE w.webhook_id = ${webhookId}::uuid AND ${IS_LIVE}
      FOR UPDATE OF w ${waitMs > 0 ? empty : sql`SKIP LOCKED`}`,
    lockedSchema,
  );
}

/** @returns the number of events read, those of other types among them */
async function makeDeliveries(
  client: pg.PoolClient,
  webhookId: string,
  { keyId, chainId, productType, types, cursor }: LockedWebhook,
): Promise<number> {
  const log = { keyId, chainId, productType };
  const behind = sql`
    e.key_id = ${keyId}::uuid AND e.chain_id = ${chainId} AND e.product_type = ${productType}
    AND e.sequence > ${cursor} AND e.position >= ${floorOf(log, cursor)}`;
  const isWanted = types === "" ? sql`true` : sql`s.type = ANY(${parseTypes(types)}::text[])`;
  // Sequences have no gaps behind the first that is left. Without a bound above, PostgreSQL would sort the whole rest of the log.
  const { scanned } = await queryOne(
    client,
    sql`
        WITH first AS MATERIALIZED (
          SELECT e.sequence FROM app.event e WHERE ${behind} ORDER BY e.sequence LIMIT 1
        ), scanned AS MATERIALIZED (
          SELECT e.sequence, e.event_id, e.type, e.created_at, ${OBJECT} AS object FROM app.event e
          WHERE ${behind} AND e.sequence < (SELECT f.sequence FROM first f) + ${EVENTS_MAX}
        ), wanted AS (
          SELECT s.*, row_number() OVER (PARTITION BY s.object ORDER BY s.sequence) AS n FROM scanned s WHERE ${isWanted}
        ), made AS (
          INSERT INTO app.webhook_delivery (webhook_id, sequence, event_id, event_type, event_at, object, next_at)
          SELECT ${webhookId}::uuid, t.sequence, t.event_id, t.type, t.created_at, t.object,
            CASE WHEN t.n = 1 AND NOT EXISTS (
              SELECT 1 FROM app.webhook_delivery d
              WHERE d.webhook_id = ${webhookId}::uuid AND d.object = t.object AND d.state = 'pending'
                AND d.position >= ${pendingFrom(webhookId)}) THEN now() END
          FROM wanted t
        ), moved AS (
          UPDATE app.webhook SET cursor = (SELECT max(s.sequence) FROM scanned s)
          WHERE webhook_id = ${webhookId}::uuid AND EXISTS (SELECT 1 FROM scanned)
        )
        SELECT count(*)::int AS scanned FROM scanned`,
    enqueuedSchema,
  );
  return scanned;
}

/** Selects the object of an event; of one from before the column, by its data. */
const OBJECT = sql`coalesce(e.object, app.event_object(e.resource, e.data))`;

const leasedSchema = z.object({
  deliveryId: z.string(),
  /** Names the partition that the delivery is in. */
  position: z.string(),
  webhookId: z.string(),
  lease: z.string(),
});

/** An attempt that this process has leased. */
export type LeasedAttempt = z.output<typeof leasedSchema>;

/**
 * Webhooks with due attempts. `OFFSET 0` keeps PostgreSQL from turning the look-up into a join, which would read the partitions
 * below the bound, too.
 */
const DUE = sql`
  FROM app.webhook w
  WHERE ${IS_LIVE} AND EXISTS (
    SELECT 1 FROM app.webhook_delivery d
    WHERE d.webhook_id = w.webhook_id AND d.state = 'pending' AND d.next_at <= now()
      AND d.position >= w.pending_from OFFSET 0)`;

const IS_IN: Record<Lane, Sql> = {
  quick: sql`w.slow_for = 0`,
  slow: sql`w.slow_for > 0`,
};

const dueSchema = z.object({ quick: z.boolean(), slow: z.boolean() });

/** Returns the lanes with a due attempt. An idle process asks in one statement, without a transaction. */
export async function readDue(pool: pg.Pool): Promise<Record<Lane, boolean>> {
  const isDue = (lane: Lane) => sql`EXISTS (SELECT 1 ${DUE} AND ${IS_IN[lane]})`;
  return queryOne(pool, sql`SELECT ${isDue("quick")} AS quick, ${isDue("slow")} AS slow`, dueSchema);
}

/**
 * Leases due attempts of a lane, at most `slots`. Locks webhooks first, so that the second statement sees the leases of other
 * processes; skips webhooks that another process has locked. Each webhook gets its first attempt before any gets a second.
 */
export async function leaseAttempts(pool: pg.Pool, lane: Lane, slots: number): Promise<LeasedAttempt[]> {
  return inTransaction(pool, async (client) => {
    const locked = await queryRows(
      client,
      sql`
        SELECT w.webhook_id::text AS webhook_id ${DUE} AND ${IS_IN[lane]}
        ORDER BY random() LIMIT ${WEBHOOKS_MAX} FOR UPDATE OF w SKIP LOCKED`,
      idSchema,
    );
    if (locked.length === 0) return [];
    const ids = locked.map(({ webhookId }) => webhookId);
    return queryRows(
      client,
      sql`
        WITH room AS MATERIALIZED (
          SELECT w.webhook_id, w.key_id, w.pending_from,
            CASE WHEN w.failing_since IS NULL THEN ${PER_WEBHOOK[lane]}::int ELSE ${PER_FAILING_WEBHOOK}::int END
              - ${underWay(sql`o.webhook_id = w.webhook_id`)} AS free,
            ${lane === "slow" ? freeOfSlow : freeOfKey} AS free_of_key
          FROM app.webhook w WHERE w.webhook_id = ANY(${ids}::uuid[])
        ), due AS (
          SELECT r.*, d.delivery_id, d.position, row_number() OVER (PARTITION BY r.webhook_id ORDER BY d.next_at, d.sequence) AS n
          FROM room r CROSS JOIN LATERAL (
            SELECT d.delivery_id, d.position, d.next_at, d.sequence FROM app.webhook_delivery d
            WHERE d.webhook_id = r.webhook_id AND d.state = 'pending' AND d.next_at <= now()
              AND d.position >= r.pending_from
            ORDER BY d.next_at, d.sequence LIMIT greatest(0, r.free)) d
        ), shared AS (
          SELECT u.delivery_id, u.position, u.n, u.free_of_key, row_number() OVER (PARTITION BY u.key_id ORDER BY u.n) AS n_of_key
          FROM due u
        ), chosen AS MATERIALIZED (
          SELECT s.delivery_id, s.position FROM shared s WHERE s.n_of_key <= s.free_of_key ORDER BY s.n LIMIT ${slots}
        )
        UPDATE app.webhook_delivery d SET lease = gen_random_uuid(), attempts = d.attempts + 1,
          began_at = coalesce(d.began_at, now()), last_attempt_at = now(),
          next_at = now() + make_interval(secs => ${LEASE_SECONDS})
        FROM chosen c WHERE d.delivery_id = c.delivery_id AND d.position = c.position
          AND d.position BETWEEN (SELECT min(o.position) FROM chosen o) AND (SELECT max(o.position) FROM chosen o)
        RETURNING d.delivery_id::text AS delivery_id, d.position::text AS position, d.webhook_id::text AS webhook_id, d.lease::text AS lease`,
      leasedSchema,
    );
  });
}

/** Returns the number of attempts of some webhooks `o` that live processes have under way, as a scalar subquery. */
const underWay = (of: Sql): Sql => sql`(
  SELECT count(*)::int FROM app.webhook o CROSS JOIN LATERAL (
    SELECT 1 FROM app.webhook_delivery d WHERE d.webhook_id = o.webhook_id AND d.lease IS NOT NULL AND d.next_at > now()
      AND d.position >= o.pending_from OFFSET 0) d
  WHERE ${of})`;

const freeOfKey = sql`${PER_KEY}::int - ${underWay(sql`o.key_id = w.key_id`)}`;
const freeOfSlow = sql`
  least(${freeOfKey}, ${PER_KEY_SLOW}::int - ${underWay(sql`o.key_id = w.key_id AND o.slow_for > 0`)})`;

const workSchema = z.object({
  url: z.string(),
  attempts: z.number(),
  secrets: signingSchema,
  /** Null where the log no longer has it. */
  event: eventSchema.nullable(),
});

/** Content of an attempt. */
export type Work = z.output<typeof workSchema>;

/** Returns the current content of a leased attempt; null where the lease does not hold, or the webhook was deleted. */
export async function readWork(
  pool: pg.Pool,
  { deliveryId, position, lease }: LeasedAttempt,
): Promise<Work | null> {
  return queryMaybeOne(
    pool,
    sql`
      SELECT w.url, d.attempts,
        ${SIGNING} AS secrets,
        (SELECT json_build_object('sequence', e.sequence, 'event_id', e.event_id, 'type', e.type,
            'resource', e.resource, 'created_at', floor(extract(epoch FROM e.created_at)), 'block_number', e.block_number,
            'tx_hash', e.tx_hash, 'retracts', e.retracts, 'data', e.data)
          FROM app.event e WHERE e.key_id = w.key_id AND e.chain_id = w.chain_id AND e.product_type = w.product_type
            AND e.sequence = d.sequence AND e.position >= f.floor) AS event
      FROM app.webhook_delivery d JOIN app.webhook w ON w.webhook_id = d.webhook_id AND w.deleted_at IS NULL
      CROSS JOIN LATERAL (SELECT ${floorOf(OF_WEBHOOK, sql`d.sequence - 1`)} AS floor OFFSET 0) f
      WHERE d.delivery_id = ${deliveryId}::uuid AND d.position = ${position}::bigint AND d.lease = ${lease}::uuid`,
    workSchema,
  );
}
