import type pg from "pg";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { headOf } from "../claims/event-log-head.ts";
import { queryOne } from "../db/query.ts";
import { empty, type Sql, sql } from "../db/sql.ts";
import { EVENT_RESOURCES, EVENT_TYPES, type EventType } from "../protocol/enums.ts";
import { storedHex, storedSeconds } from "../protocol/shapes.ts";
import { ceilingOf, floorOf } from "./mark-store.ts";

/** An event as statements select it, as JSON. */
export const eventSchema = z.object({
  sequence: z.coerce.number(),
  event_id: z.string(),
  type: z.enum(EVENT_TYPES),
  resource: z.enum(EVENT_RESOURCES),
  created_at: storedSeconds,
  block_number: z.coerce.number().nullable(),
  tx_hash: storedHex.nullable(),
  retracts: z.string().nullable(),
  data: z.unknown(),
});
export type EventRow = z.output<typeof eventSchema>;

/** A part of a key's log. */
export interface LogPart {
  rows: EventRow[];
  /** Sequence up to which all events were read. */
  end: bigint;
  /** Last event that there is; 0 where there is none. */
  head: bigint;
  /** Sequence before that of the first event behind the cursor: a removed event, or the cursor's own where nothing is missing. */
  removed: bigint;
}

/** The part of a log to read. */
export interface LogRange {
  /** Events behind this sequence; null: from the oldest one on. */
  after: bigint | null;
  types?: readonly EventType[] | undefined;
  limit: number;
}

/** Events that one statement reads, where it is asked for some types only. */
const SCANNED_MAX = 10_000;

const partSchema = z.object({
  head: z.coerce.bigint(),
  removed: z.coerce.bigint(),
  end: z.coerce.bigint().nullable(),
  rows: z.array(eventSchema).nullable(),
});

/** Reads a part of a key's log, its bounds with it. */
export async function readLog(
  pool: pg.Pool,
  caller: EventLog,
  { after, types, limit }: LogRange,
): Promise<LogPart> {
  const scannedMax = types ? SCANNED_MAX : limit;
  const behind = after === null ? empty : sql`AND ${behindOf(caller, after, scannedMax, types)}`;
  const wanted = types ? sql`s.type = ANY(${types}::text[])` : sql`true`;
  const statement = sql`
    WITH bounds AS MATERIALIZED (
      SELECT ${headOf(caller)}::bigint AS head
    ), scanned AS MATERIALIZED (
      SELECT e.sequence, e.position, e.type FROM app.event e WHERE ${isOfKey(caller)} ${behind} ORDER BY e.sequence LIMIT ${scannedMax}
    ), found AS MATERIALIZED (
      SELECT f.* FROM (SELECT s.sequence, s.position FROM scanned s WHERE ${wanted} ORDER BY s.sequence LIMIT ${limit}) s
      CROSS JOIN LATERAL (
        SELECT e.* FROM app.event e WHERE ${isOfKey(caller)} AND e.sequence = s.sequence AND e.position = s.position OFFSET 0) f
    )
    SELECT b.head::text AS head, (${removedOf(caller, after)})::text AS removed,
      CASE WHEN (SELECT count(*) FROM found) = ${limit} THEN (SELECT max(f.sequence) FROM found f)
        ELSE (SELECT max(s.sequence) FROM scanned s) END::text AS end,
      (SELECT json_agg(json_build_object('sequence', f.sequence, 'event_id', f.event_id, 'type', f.type,
          'resource', f.resource, 'created_at', floor(extract(epoch FROM f.created_at)), 'block_number', f.block_number,
          'tx_hash', f.tx_hash, 'retracts', f.retracts, 'data', f.data) ORDER BY f.sequence) FROM found f) AS rows
    FROM bounds b`;
  const part = await queryOne(pool, statement, partSchema);
  return { ...part, rows: part.rows ?? [], end: part.end ?? after ?? part.removed };
}

type EventLog = Pick<Caller, "keyId" | "chainId" | "productType">;

const isOfKey = ({ keyId, chainId, productType }: EventLog): Sql =>
  sql`e.key_id = ${keyId}::uuid AND e.chain_id = ${chainId} AND e.product_type = ${productType}`;

/** Selects the next `max` events behind a cursor. */
function behindOf(eventLog: EventLog, after: bigint, max: number, types: LogRange["types"]): Sql {
  // No event is missed by this bound: sequences have no gaps, and an expired cursor is refused. It keeps PostgreSQL on the index of the
  // key's sequences: between two bounds of positions it expects few rows, and would read the events of all keys there. For the same
  // reason a read of many sequences bounds positions from below alone.
  const last = after + BigInt(max);
  const isBelow = types ? empty : sql`AND e.position < ${ceilingOf(eventLog, last)}`;
  return sql`
    e.sequence > ${after} AND e.sequence <= ${last} AND e.position >= ${floorOf(eventLog, after)} ${isBelow}`;
}

/** Returns the sequence up to which no event is left, or the cursor where that is higher. */
function removedOf(eventLog: EventLog, after: bigint | null): Sql {
  const next = sql`(SELECT min(s.sequence) FROM scanned s)`;
  if (after === null) return sql`coalesce(${next} - 1, b.head)`;
  // The first event that is left has to be looked up only where the one behind the cursor is missing.
  return sql`
    CASE WHEN ${next} = ${after}::bigint + 1 OR ${after}::bigint >= b.head THEN ${after}::bigint
      ELSE coalesce((SELECT e.sequence - 1 FROM app.event e WHERE ${isOfKey(eventLog)} AND e.sequence > ${after}
        AND e.position >= ${floorOf(eventLog, after)} ORDER BY e.sequence LIMIT 1), b.head) END`;
}
