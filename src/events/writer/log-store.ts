import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { BUILD_ID } from "../../db/checkpoint.ts";
import { SERIALIZATION_FAILURE } from "../../db/errors.ts";
import { Prisma } from "../../db/generated/client.ts";
import { CHANNELS } from "../../db/notifications.ts";
import { logLock, select } from "./changes-store.ts";
import type { Draft, IndexedObject, Outcome } from "./compare.ts";
import { keyRowItems } from "./key-rows.ts";

/** Appends to the log. */

/** The rows that one transaction writes. */
export interface Batch extends Outcome {
  chainId: number;
  /** Rows of event_due that are done with. */
  due: readonly string[];
  /** The transactions that were compared, and what of them no key owns. */
  hashes: readonly string[];
  unowned: readonly IndexedObject[];
  block: bigint;
  verified: bigint;
  buildId: string;
  /** As of LogState. */
  filled: boolean;
  filledTo: string | null;
}

/** A number that a key's version has not been: after a failover too, which may lose the last ones. */
export const NEW_VERSION = Prisma.sql`(random() * 9e15)::bigint + 1`;

const EVENT_COLUMNS = Prisma.sql`
  (place int, key_id uuid, product_type text, event_id uuid, type text, resource text, block_number bigint, tx_hash text,
    retracts uuid, data text)`;
const MEMORY_COLUMNS = Prisma.sql`
  (claim_id uuid, resource text, ordinal int, key_id uuid, product_type text, tx_hash text, object_id text, event_id uuid,
    type text, sequence bigint, data_hash uuid, fingerprint uuid, row_hash uuid, block_number bigint)`;

const appendedSchema = z.object({ appended: z.number(), build_id: z.string().nullable() });

/**
 * Appends events, and writes what the log remembers and how far it is. Each key counts within chain and product. The api
 * processes are notified at the commit.
 * @returns how many events were appended
 * @throws Error as of a serialization failure, where the index was replaced meanwhile
 */
export async function append(client: pg.PoolClient, batch: Batch): Promise<number> {
  const { chainId, events, remembered, forgotten, waiting, due, hashes, unowned, block, verified } = batch;
  const keyRows = keyRowItems(chainId, batch);
  const [row] = await select(
    client,
    Prisma.sql`
      WITH said AS MATERIALIZED (
        SELECT e.*, row_number() OVER w AS n, count(*) OVER (PARTITION BY e.key_id, e.product_type) AS of_key
        FROM jsonb_to_recordset(${json(events.map(eventRecord))}::jsonb) AS e ${EVENT_COLUMNS}
        WINDOW w AS (PARTITION BY e.key_id, e.product_type ORDER BY e.place)
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
        INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, block_number, tx_hash,
          retracts, data)
        SELECT n.key_id, ${chainId}::int, n.product_type, n.sequence, n.event_id, n.type, n.resource, n.block_number,
          n.tx_hash, n.retracts, n.data::json
        FROM numbered n ORDER BY n.place RETURNING 1
      ), remembered AS (
        INSERT INTO app.event_memory (claim_id, resource, ordinal, key_id, chain_id, product_type, tx_hash, object_id,
          event_id, type, sequence, data_hash, fingerprint, row_hash, block_number)
        SELECT m.claim_id, m.resource, m.ordinal, m.key_id, ${chainId}::int, m.product_type, m.tx_hash, m.object_id,
          m.event_id, m.type, coalesce(n.sequence, m.sequence), m.data_hash, m.fingerprint, m.row_hash, m.block_number
        FROM jsonb_to_recordset(${json(remembered)}::jsonb) AS m ${MEMORY_COLUMNS}
        LEFT JOIN numbered n ON n.event_id = m.event_id
        ON CONFLICT (claim_id, resource, ordinal) DO UPDATE SET tx_hash = excluded.tx_hash,
          object_id = excluded.object_id, event_id = excluded.event_id, type = excluded.type,
          sequence = excluded.sequence, data_hash = excluded.data_hash, fingerprint = excluded.fingerprint,
          row_hash = excluded.row_hash, block_number = excluded.block_number
      ), forgotten AS (
        DELETE FROM app.event_memory m
        USING jsonb_to_recordset(${json(forgotten)}::jsonb) AS f (claim_id uuid, resource text, ordinal int)
        WHERE m.claim_id = f.claim_id AND m.resource = f.resource AND m.ordinal = f.ordinal
      ), unowned AS (
        INSERT INTO app.event_unowned (chain_id, product_type, object_id, tx_hash, row_hash, block_number)
        SELECT ${chainId}::int, u.* FROM jsonb_to_recordset(${json(unowned)}::jsonb)
          AS u (product_type text, object_id text, tx_hash text, row_hash uuid, block_number bigint)
        ON CONFLICT (chain_id, product_type, object_id) DO UPDATE
        SET tx_hash = excluded.tx_hash, row_hash = excluded.row_hash, block_number = excluded.block_number
      ), owned AS (
        DELETE FROM app.event_unowned u WHERE u.chain_id = ${chainId}
          AND (u.tx_hash = ANY(${hashes}::text[]) OR u.block_number <= ${verified})
          AND u.object_id <> ALL(${unowned.map(({ objectId }) => objectId)}::text[])
      ), done AS (
        DELETE FROM app.event_due d WHERE d.chain_id = ${chainId} AND d.id = ANY(${due}::bigint[])
      ), waiting AS (
        INSERT INTO app.event_due (chain_id, claim_id, waits_for, seen, resource, ordinal)
        SELECT ${chainId}::int, w.* FROM jsonb_to_recordset(${json(waiting.map(waitingRecord))}::jsonb)
          AS w (claim_id uuid, waits_for text, seen bigint, resource text, ordinal int)
        WHERE w.seen IS NOT NULL OR NOT EXISTS (SELECT 1 FROM app.event_due d
          WHERE d.chain_id = ${chainId} AND d.claim_id = w.claim_id AND d.waits_for = w.waits_for
            AND d.id <> ALL(${due}::bigint[]))
      ), moved AS (
        UPDATE app.event_chain SET block_number = ${block}, verified_block = greatest(verified_block, ${verified}),
          build_id = ${batch.buildId}, steps = steps + 1, filled = ${batch.filled}, filled_to = ${batch.filledTo}::uuid
        WHERE chain_id = ${chainId}
      )
      SELECT n.appended, ${BUILD_ID} AS build_id,
        CASE WHEN n.appended > 0 THEN pg_notify(${CHANNELS.events}, ${String(chainId)})::text END
      FROM (SELECT count(*)::int AS appended FROM appended) n`,
  );
  const { appended, build_id } = appendedSchema.parse(row);
  expectBuild(build_id, batch.buildId);
  return appended;
}

const movedSchema = z.object({ build_id: z.string().nullable() });

/** Writes how far the log and the rows of a chain are, where that is all that is new. @throws Error as append */
export async function move(
  client: pg.PoolClient,
  { chainId, block, verified, buildId }: Pick<Batch, "chainId" | "block" | "verified" | "buildId">,
): Promise<void> {
  const [row] = await select(
    client,
    Prisma.sql`
      UPDATE app.event_chain SET block_number = ${block}, verified_block = greatest(verified_block, ${verified}), steps = steps + 1
      WHERE chain_id = ${chainId} RETURNING ${BUILD_ID} AS build_id`,
  );
  expectBuild(movedSchema.parse(row).build_id, buildId);
}

/**
 * Makes a transaction begin again where the views of the index moved to another build within it: names follow the catalogue and not the
 * snapshot, so its statements may have read either.
 */
function expectBuild(found: string | null, expected: string): void {
  if (found === expected) return;
  throw Object.assign(new Error("the index was replaced within a step"), { code: SERIALIZATION_FAILURE });
}

/** Unsettles what the log reports of transactions beyond the settled block: lists of the version before compare it with the log. */
export async function unsettleReported(
  client: pg.PoolClient,
  chainId: number,
  hashes: readonly string[],
): Promise<void> {
  const settled = ["settled_order", "settled_operation"].map(
    (table) => Prisma.sql`
      SELECT s.tx_hash FROM ${Prisma.raw(`app.${table}`)} s WHERE s.chain_id = ${chainId} AND s.tx_hash = ANY(${hashes}::text[])`,
  );
  await select(
    client,
    Prisma.sql`
      SELECT app.unsettle(array_agg(${chainId}::int), array_agg(t.tx_hash), ARRAY[]::uuid[])
      FROM (${Prisma.join(settled, " UNION ")}) t HAVING count(*) > 0`,
  );
}

/** An event that another room appends, about something that the chain has no part in. */
export interface OwnEvent extends Pick<Draft, "keyId" | "productType" | "type" | "resource"> {
  chainId: number;
  /** The object as the API answers it. */
  data: object;
}

interface Placed {
  eventId: string;
  sequence: bigint;
}

/**
 * Appends one event to the log of a key, within the caller's transaction: it is in the log where that is committed. Locks the log
 * of the chain until then, so it belongs at the end of a transaction.
 */
export async function appendEvent(client: pg.PoolClient, event: OwnEvent): Promise<Placed> {
  const placed = await appendLocked(client, event, Prisma.sql`WHERE l.chains > 0`);
  if (placed.length > 0) return toPlaced(placed);
  // The chain has no row to lock. A statement of its own: the next one then sees the row where it was made meanwhile.
  await select(client, Prisma.sql`SELECT ${logLock(event.chainId)}::text`);
  return toPlaced(await appendLocked(client, event, Prisma.empty));
}

const placedSchema = z.object({ event_id: z.string(), sequence: z.coerce.bigint() });

function toPlaced([row]: Record<string, unknown>[]): Placed {
  const { event_id: eventId, sequence } = placedSchema.parse(row);
  return { eventId, sequence };
}

/** Appends behind the lock of the chain's row. @param where a condition on `l.chains`, the number of rows that were locked */
function appendLocked(
  client: pg.PoolClient,
  { keyId, chainId, productType, type, resource, data }: OwnEvent,
  where: Prisma.Sql,
): Promise<Record<string, unknown>[]> {
  return select(
    client,
    Prisma.sql`
      WITH locked AS MATERIALIZED (
        SELECT count(*) AS chains FROM (SELECT 1 FROM app.event_chain WHERE chain_id = ${chainId} FOR UPDATE) c
      ), head AS (
        INSERT INTO app.event_head AS h (key_id, chain_id, product_type, sequence, version)
        SELECT ${keyId}::uuid, ${chainId}::int, ${productType}, 1, ${NEW_VERSION} FROM locked l ${where}
        ON CONFLICT (key_id, chain_id, product_type) DO UPDATE SET sequence = h.sequence + 1, version = excluded.version
        RETURNING h.key_id, h.chain_id, h.product_type, h.sequence
      ), appended AS (
        INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, data)
        SELECT h.key_id, h.chain_id, h.product_type, h.sequence, ${randomUUID()}::uuid, ${type}, ${resource}, ${JSON.stringify(data)}::json FROM head h
        RETURNING event_id, sequence
      )
      SELECT a.event_id::text AS event_id, a.sequence::text AS sequence,
        pg_notify(${CHANNELS.events}, ${String(chainId)})::text FROM appended a`,
  );
}

/** Names all columns also where no list showed the row. */
const waitingRecord = ({ claimId, waitsFor, seen }: Outcome["waiting"][number]) => ({
  ...{ claimId, waitsFor },
  ...{ seen: seen?.sequence ?? null, resource: seen?.resource ?? null, ordinal: seen?.ordinal ?? null },
});

const eventRecord = (event: Outcome["events"][number], place: number) => ({ place, ...event });

/** Names of columns in place of those of fields; bigints as text. */
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
  const isOld = Prisma.sql`
    x.created_at < least(now(), ${new Date(clock())}::timestamptz) - make_interval(days => ${days}::int)`;
  const front = Prisma.sql`FROM app.event x WHERE x.chain_id = c.chain_id`;
  for (let removed = EXPIRED_BATCH; removed >= EXPIRED_BATCH; ) {
    const rows = await select(
      pool,
      Prisma.sql`
        DELETE FROM app.event e USING (
          SELECT o.* FROM (SELECT DISTINCT h.chain_id FROM app.event_head h) c CROSS JOIN LATERAL (
            SELECT x.chain_id, x.position, bool_and(${isOld}) OVER (ORDER BY x.position) AS is_front
            FROM (SELECT x.chain_id, x.position, x.created_at ${front}
              AND (SELECT ${isOld} ${front} ORDER BY x.position LIMIT 1) ORDER BY x.position LIMIT ${EXPIRED_BATCH}) x) o
        ) o
        WHERE o.is_front AND e.chain_id = o.chain_id AND e.position = o.position
        RETURNING 1`,
    );
    removed = rows.length;
  }
}
