import type pg from "pg";
import { z } from "zod";
import { headOf } from "../../claims/event-log-head.ts";
import type { LogName } from "../../context/input/event-cursor.ts";
import { queryOne, queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { EVENT_TYPES } from "../../protocol/enums.ts";
import { ceilingOf, floorOf } from "../mark-store.ts";

/** Reads what streams of events send. */

const eventSchema = z
  .object({
    position: z.coerce.number(),
    keyId: z.string(),
    chainId: z.number(),
    productType: z.string(),
    sequence: z.coerce.number(),
    eventId: z.string(),
    type: z.enum(EVENT_TYPES),
    resource: z.string(),
    createdAt: z.coerce.number(),
    blockNumber: z.coerce.number().nullable(),
    txHash: z.string().nullable(),
    retracts: z.string().nullable(),
    data: z.string(),
  })
  .transform((row) => ({
    /** Counts the commits of all keys of the chain; 0 for events of before there was one. */
    position: row.position,
    keyId: row.keyId,
    chainId: row.chainId,
    productType: row.productType,
    sequence: row.sequence,
    type: row.type,
    txHash: row.txHash,
    json: jsonOf(row),
  }));

/** An event with its position in the log. */
export type AppendedEvent = z.output<typeof eventSchema>;

interface EventColumns {
  eventId: string;
  sequence: number;
  type: string;
  resource: string;
  createdAt: number;
  blockNumber: number | null;
  txHash: string | null;
  retracts: string | null;
  data: string;
}

/**
 * Returns an event as GET /events answers it, as JSON on one line. The object in it is JSON already, so it is not parsed to be
 * written again.
 */
function jsonOf({ data, ...row }: EventColumns): string {
  const { eventId, sequence, type, resource, createdAt, blockNumber, txHash, retracts } = row;
  const head = { eventId, sequence, type, resource, createdAt, blockNumber, txHash, retracts };
  return `${JSON.stringify(head).slice(0, -1)},"data":${oneLine(data)}}`;
}

const oneLine = (json: string): string => (/[\r\n]/.test(json) ? JSON.stringify(JSON.parse(json)) : json);

const passedSchema = z.object({ position: z.coerce.number(), data: z.string().nullable() });

/** Parses an event, or the position alone of one that was not asked for. */
const passed = {
  parse(row: unknown) {
    const skipped = passedSchema.parse(row);
    return skipped.data === null ? skipped : eventSchema.parse(row);
  },
};

const columnsOf = (alias: "e" | "s"): Sql => {
  const column = (name: string) => raw(`${alias}.${name}`);
  return sql`greatest(${column("position")}, 0)::text AS position, ${column("key_id")}::text AS key_id,
    ${column("chain_id")}, ${column("product_type")}, ${column("sequence")}::text AS sequence, ${column("event_id")}::text AS event_id,
    ${column("type")}, ${column("resource")}, floor(extract(epoch FROM ${column("created_at")}))::text AS created_at,
    ${column("block_number")}::text AS block_number, ${column("tx_hash")}, ${column("retracts")}::text AS retracts`;
};

const positionSchema = z.object({ position: z.coerce.number() });

/** Returns the position of the last event of a chain; 0 where there is none. */
export async function readPosition(pool: pg.Pool, chainId: number): Promise<number> {
  const statement = sql`
    SELECT coalesce((SELECT e.position FROM app.event e WHERE e.chain_id = ${chainId} AND e.position > 0
      ORDER BY e.position DESC LIMIT 1), 0)::text AS position`;
  return (await queryOne(pool, statement, positionSchema)).position;
}

/** A part of what was appended to a chain's logs. */
export interface Appended {
  /** Those of the keys that were asked for. */
  events: AppendedEvent[];
  /** Everything up to here was looked at. */
  position: number;
  complete: boolean;
}

/**
 * Reads what was appended behind a position, in the order of commits: every writer holds the lock of the chain's log, so no
 * event appears behind one that was read.
 * @param keyIds keys whose events are read; null: all keys
 */
export async function readAppended(
  pool: pg.Pool,
  {
    chainId,
    position,
    keyIds,
    limit,
  }: { chainId: number; position: number; keyIds: readonly string[] | null; limit: number },
): Promise<Appended> {
  const wanted = sql`(${keyIds === null} OR s.key_id = ANY(${keyIds ?? []}::uuid[]))`;
  const statement = sql`
    SELECT ${columnsOf("s")}, CASE WHEN ${wanted} THEN s.data::text END AS data
    FROM (SELECT * FROM app.event e WHERE e.chain_id = ${chainId} AND e.position > ${position}::bigint
      ORDER BY e.position LIMIT ${limit} OFFSET 0) s
    ORDER BY s.position`;
  const rows = await queryRows(pool, statement, passed);
  return {
    events: rows.flatMap((row) => ("json" in row ? [row] : [])),
    position: rows.at(-1)?.position ?? position,
    complete: rows.length < limit,
  };
}

/** Reads the next events of one log, at most `limit`. */
export function readLogPage(
  pool: pg.Pool,
  { keyId, chainId, productType }: LogName,
  { after, limit }: { after: number; limit: number },
): Promise<AppendedEvent[]> {
  const statement = sql`
    SELECT ${columnsOf("e")}, e.data::text AS data FROM app.event e
    WHERE e.key_id = ${keyId}::uuid AND e.chain_id = ${chainId} AND e.product_type = ${productType}
      AND e.sequence > ${after}::bigint AND e.position >= ${floorOf({ keyId, chainId, productType }, after)}
    ORDER BY e.sequence LIMIT ${limit}`;
  return queryRows(pool, statement, eventSchema);
}

const boundsSchema = z.object({ head: z.coerce.bigint(), removed: z.coerce.bigint() });

/**
 * Returns the sequence of a log's last event, 0 where there is none, and the one before the first that there is behind a cursor:
 * the cursor's where nothing is missing. Sequences have no gaps, so that is looked up only where the one behind the cursor is missing.
 */
export function readLogBounds(
  pool: pg.Pool,
  eventLog: LogName,
  sequence: bigint | null,
): Promise<{ head: bigint; removed: bigint }> {
  const { keyId, chainId, productType } = eventLog;
  const ofKey = sql`
    e.key_id = ${keyId}::uuid AND e.chain_id = ${chainId} AND e.product_type = ${productType}`;
  const after = sequence ?? 0n;
  const statement = sql`
    SELECT h.head::text AS head, CASE
      WHEN ${sequence === null} OR ${after}::bigint >= h.head OR EXISTS (SELECT 1 FROM app.event e
        WHERE ${ofKey} AND e.sequence = ${after + 1n} AND e.position >= ${floorOf(eventLog, after)}
          AND e.position < ${ceilingOf(eventLog, after + 1n)}) THEN ${after}::bigint
      ELSE coalesce((SELECT e.sequence - 1 FROM app.event e WHERE ${ofKey} AND e.sequence > ${after}
        AND e.position >= ${floorOf(eventLog, after)} ORDER BY e.sequence LIMIT 1), h.head) END::text
        AS removed
    FROM (SELECT ${headOf(eventLog)}::bigint AS head) h`;
  return queryOne(pool, statement, boundsSchema);
}

const edgesSchema = z.object({ last: z.coerce.number(), first: z.coerce.number(), hasEvent: z.boolean() });

/**
 * Returns the positions of a chain's first and last event, 0 where there is none, and whether there is an event at a position.
 * Positions have gaps: a transaction that was rolled back took some.
 */
export function readChainEdges(
  pool: pg.Pool,
  chainId: number,
  position: number,
): Promise<{ first: number; last: number; hasEvent: boolean }> {
  const edge = (order: "ASC" | "DESC") => sql`
    coalesce((SELECT e.position FROM app.event e WHERE e.chain_id = ${chainId} AND e.position > 0
      ORDER BY e.position ${raw(order)} LIMIT 1), 0)::text`;
  const statement = sql`
    SELECT ${edge("ASC")} AS first, ${edge("DESC")} AS last,
      EXISTS (SELECT 1 FROM app.event e WHERE e.chain_id = ${chainId} AND e.position = ${position}::bigint) AS has_event`;
  return queryOne(pool, statement, edgesSchema);
}
