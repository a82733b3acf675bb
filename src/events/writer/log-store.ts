import type pg from "pg";
import { z } from "zod";
import { buildIdSql } from "../../db/checkpoint.ts";
import { SERIALIZATION_FAILURE } from "../../db/errors.ts";
import { CHANNELS } from "../../db/notifications.ts";
import { plannedOnce } from "../../db/planned-once.ts";
import { execute, queryOne } from "../../db/query.ts";
import { join, type Sql, sql } from "../../db/sql.ts";
import type { Compared } from "./source.ts";

/** Appends to the log. */

/** Rows that one transaction writes. */
export interface Batch {
  chainId: number;
  compared: readonly Compared[];
  /** WITH items that write the rows that keys see, and a SELECT of key_id and product_type of those that are written. */
  rows: { items: Sql; touched: Sql };
  /** WITH items that write which blocks are projected. */
  blocks: readonly Sql[];
  /** Rows of event_due that are done with. */
  due: readonly string[];
  block: bigint;
  verified: bigint;
  buildId: string;
  /** As of LogState. */
  filled: boolean;
  filledTo: string | null;
}

/** A number that a key's version has not been: after a failover too, which may lose the last ones. */
const NEW_VERSION = sql`(random() * 9e15)::bigint + 1`;

const EVENT_COLUMNS = sql`
  (ordinal int, key_id uuid, product_type text, event_id uuid, type text, resource text, object text, block_number bigint,
    tx_hash text, retracts uuid, data text)`;
const TO_ALL_COLUMNS = sql`
  (ordinal int, product_type text, event_seed uuid, type text, resource text, object text, block_number bigint, tx_hash text,
    retracts_seed uuid, retracts_reported_at timestamptz, data text)`;

/** Selects the events of a batch, in EVENT_COLUMNS. */
function eventsOf(chainId: number, compared: readonly Compared[]): Sql {
  const withOrdinals = <T extends object>(events: readonly T[], first = 0) =>
    json(events.map((event, n) => ({ ordinal: first + n, ...event })));
  const events = compared.flatMap((one) => one.events);
  const toAll = compared.flatMap(({ eventsToAll }) => eventsToAll ?? []);
  const own = sql`SELECT * FROM jsonb_to_recordset(${withOrdinals(events)}::jsonb) AS e ${EVENT_COLUMNS}`;
  if (toAll.length === 0) return own;
  const idOf = (seed: Sql) => sql`md5(k.key_id::text || ${seed}::text)::uuid`;
  return sql`
    ${own} UNION ALL
    SELECT e.ordinal, k.key_id, e.product_type, ${idOf(sql`e.event_seed`)}, e.type, e.resource, e.object, e.block_number,
      e.tx_hash, CASE WHEN k.created_at <= e.retracts_reported_at THEN ${idOf(sql`e.retracts_seed`)} END, e.data
    FROM jsonb_to_recordset(${withOrdinals(toAll, events.length)}::jsonb) AS e ${TO_ALL_COLUMNS}
    JOIN app.api_key_scope a ON a.chain_id = ${chainId} AND a.product_type = e.product_type
    JOIN app.api_key k ON k.key_id = a.key_id AND k.active`;
}

const appendedSchema = z.object({ appended: z.number(), buildId: z.string().nullable() });

/**
 * Appends events, and writes what the log remembers and how far it is. Each key counts within chain and product. The api
 * processes are notified at the commit.
 * @returns how many events were appended
 * @throws Error as of a serialization failure, where the index was replaced meanwhile
 */
export async function append(client: pg.PoolClient, batch: Batch): Promise<number> {
  const { chainId, compared, rows: keyRows, blocks, due, block, verified, filled, filledTo } = batch;
  const statement = sql`
    WITH said AS MATERIALIZED (
      SELECT e.*, row_number() OVER w AS n, count(*) OVER (PARTITION BY e.key_id, e.product_type) AS of_key
      FROM (${eventsOf(chainId, compared)}) e
      WINDOW w AS (PARTITION BY e.key_id, e.product_type ORDER BY e.ordinal)
    ), ${keyRows.items}, merged AS (
      DELETE FROM app.key_change m WHERE m.chain_id = ${chainId} RETURNING m.key_id, m.product_type
    ), changed AS (
      SELECT s.key_id, s.product_type, 1 AS events FROM said s
      UNION ALL SELECT t.key_id, t.product_type, 0 FROM (${keyRows.touched}) t
      UNION ALL SELECT m.key_id, m.product_type, 0 FROM merged m
    ), head AS (
      INSERT INTO app.event_head AS h (key_id, chain_id, product_type, sequence, version)
      SELECT c.key_id, ${chainId}::int, c.product_type, sum(c.events)::bigint, ${NEW_VERSION}
      FROM changed c GROUP BY c.key_id, c.product_type
      ON CONFLICT (key_id, chain_id, product_type) DO UPDATE
      SET sequence = h.sequence + excluded.sequence, version = excluded.version
      RETURNING h.key_id, h.product_type, h.sequence
    ), numbered AS MATERIALIZED (
      SELECT s.*, h.sequence - s.of_key + s.n AS sequence
      FROM said s JOIN head h ON h.key_id = s.key_id AND h.product_type = s.product_type
    ), appended AS (
      INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, object, block_number,
        tx_hash, retracts, data)
      SELECT n.key_id, ${chainId}::int, n.product_type, n.sequence, n.event_id, n.type, n.resource, n.object,
        n.block_number, n.tx_hash, n.retracts, n.data::json
      FROM numbered n ORDER BY n.ordinal RETURNING 1
    ), ${join([...compared.flatMap(({ remember }) => remember), ...blocks])}, done AS (
      DELETE FROM app.event_due d WHERE d.chain_id = ${chainId} AND d.id = ANY(${due}::bigint[])
    ), moved AS (
      UPDATE app.event_chain SET block_number = ${block}, verified_block = greatest(verified_block, ${verified}),
        build_id = ${batch.buildId}, filled = ${filled}, filled_to = ${filledTo === null ? sql`NULL` : sql`${filledTo}::uuid`}
      WHERE chain_id = ${chainId}
    )
    SELECT n.appended, ${buildIdSql(sql`${chainId}`)} AS build_id,
      CASE WHEN n.appended > 0 THEN pg_notify(${CHANNELS.events}, ${String(chainId)})::text END
    FROM (SELECT count(*)::int AS appended FROM appended) n`;
  const { appended, buildId } = await queryOne(client, plannedOnce(statement), appendedSchema);
  expectBuild(buildId, batch.buildId);
  return appended;
}

const movedSchema = z.object({ buildId: z.string().nullable() });

/** Writes how far the log and the rows of a chain are, where that is all that is new. @throws Error as append */
export async function move(
  client: pg.PoolClient,
  { chainId, block, verified, buildId }: Pick<Batch, "chainId" | "block" | "verified" | "buildId">,
): Promise<void> {
  const statement = sql`
    UPDATE app.event_chain SET block_number = ${block}, verified_block = greatest(verified_block, ${verified})
    WHERE chain_id = ${chainId} RETURNING ${buildIdSql(sql`chain_id`)} AS build_id`;
  const moved = await queryOne(client, statement, movedSchema);
  expectBuild(moved.buildId, buildId);
}

/**
 * Makes a transaction begin again where the views of the index moved to another build within it: names follow the catalogue and not the
 * snapshot, so its statements may have read either.
 */
function expectBuild(found: string | null, expected: string): void {
  if (found === expected) return;
  throw Object.assign(new Error("the index was replaced within a step"), { code: SERIALIZATION_FAILURE });
}

/** Serializes records for a statement: with columns' names instead of fields', and bigints as text. */
export function json(records: readonly object[]): string {
  const columns = records.map((record) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        typeof value === "bigint" ? value.toString() : value,
      ]),
    ),
  );
  return JSON.stringify(columns);
}

const EXPIRED_BATCH = 5_000;

export interface Retention {
  days: number;
  /** This process's clock, milliseconds. An event is old where the database's agrees. */
  clock?: () => number;
}

/**
 * Removes events that are older than `days` days, in parts that block no statement for long. Partitions go as a whole (src/db/partitions.ts):
 * this is for those that cannot, since something in them is younger or needed. Each chain's events go in their order: one that is
 * younger keeps those behind it, whatever their times are, so that no log has a gap.
 */
export async function removeExpiredEvents(
  pool: pg.Pool,
  { days, clock = Date.now }: Retention,
): Promise<void> {
  const isOld = sql`
    x.created_at < least(now(), ${new Date(clock())}::timestamptz) - make_interval(days => ${days}::int)`;
  const front = sql`FROM app.event x WHERE x.chain_id = c.chain_id`;
  const statement = sql`
    DELETE FROM app.event e USING (
      SELECT o.* FROM (SELECT DISTINCT h.chain_id FROM app.event_head h) c CROSS JOIN LATERAL (
        SELECT x.chain_id, x.position, bool_and(${isOld}) OVER (ORDER BY x.position) AS is_front
        FROM (SELECT x.chain_id, x.position, x.created_at ${front}
          AND (SELECT ${isOld} ${front} ORDER BY x.position LIMIT 1) ORDER BY x.position LIMIT ${EXPIRED_BATCH}) x) o
    ) o
    WHERE o.is_front AND e.chain_id = o.chain_id AND e.position = o.position`;
  while ((await execute(pool, statement)) >= EXPIRED_BATCH);
}
