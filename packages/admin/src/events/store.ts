import type pg from "pg";
import { z } from "zod";
import { queryOne, queryRows } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";
import { storedHex } from "../../../../src/protocol/shapes.ts";

const eventSchema = z.object({
  createdAt: z.date(),
  eventId: z.string(),
  apiKey: z.string(),
  chainId: z.number(),
  productType: z.string(),
  sequence: z.string(),
  type: z.string(),
  resource: z.string(),
  objectId: z.string().nullable(),
  blockNumber: z.string().nullable(),
  txHash: storedHex.nullable(),
  /** Id of the event that this one withdraws. */
  retracts: z.string().nullable(),
});
export type EventRow = z.output<typeof eventSchema>;

export interface EventFilter {
  apiKey: string | null;
  type: string | null;
  objectId: string | null;
  since: Date | null;
  limit: number;
}

// PostgreSQL reads no field of JSON with an escaped zero byte, which the name of a token may contain: such an event is listed
// without its object.
const OBJECT_ID = sql`
  CASE WHEN strpos(e.data::text, '\\u0000') = 0
    THEN coalesce(e.data ->> 'orderId', e.data ->> 'operationId', e.data ->> 'requestId') END`;

const HOUR_MS = 3_600_000;
const SPAN_MS_MIN = 60_000;
/** Bounds of a statement's time, milliseconds: below it the next span doubles, above it the next one halves. */
const TAKES_MIN = 200;
const TAKES_MAX = 2_000;
const SPAN_MS_MAX = 7 * 24 * HOUR_MS;

/**
 * Returns events of all keys, newest first. No index has an event's type or object: each statement reads one span of time of the
 * log, backwards, so that none reads all of it.
 * @param onSpan called before each statement but the first, with the time that is reached
 */
export async function readEvents(
  pool: pg.Pool,
  filter: EventFilter,
  onSpan: (reached: Date) => void,
): Promise<EventRow[]> {
  const oldest = (filter.since ?? (await readOldest(pool)))?.getTime() ?? Number.POSITIVE_INFINITY;
  const events: EventRow[] = [];
  let spanMs = HOUR_MS;
  // Clocks differ: the first span has no end.
  let to: Date | null = null;
  let from = new Date(Date.now() - spanMs);
  for (;;) {
    const startedMs = performance.now();
    const limit = filter.limit - events.length;
    events.push(...(await readSpan(pool, { ...filter, limit }, from, to)));
    if (events.length >= filter.limit || from.getTime() <= oldest) return events;
    const takenMs = performance.now() - startedMs;
    if (takenMs < TAKES_MIN) spanMs = Math.min(spanMs * 2, SPAN_MS_MAX);
    else if (takenMs > TAKES_MAX) spanMs = Math.max(spanMs / 2, SPAN_MS_MIN);
    onSpan(from);
    to = from;
    from = new Date(from.getTime() - spanMs);
  }
}

const oldestSchema = z.object({ oldest: z.date().nullable() });

async function readOldest(pool: pg.Pool): Promise<Date | null> {
  const statement = sql`SELECT min(created_at) AS oldest FROM app.event`;
  return (await queryOne(pool, statement, oldestSchema)).oldest;
}

function readSpan(
  pool: pg.Pool,
  { apiKey, type, objectId, since, limit }: EventFilter,
  from: Date,
  to: Date | null,
): Promise<EventRow[]> {
  const statement = sql`
    SELECT e.created_at, e.event_id, k.api_key, e.chain_id, e.product_type, e.sequence, e.type, e.resource,
      ${OBJECT_ID} AS object_id, e.block_number, e.tx_hash, e.retracts
    FROM app.event e JOIN app.api_key k USING (key_id)
    WHERE (${apiKey}::text IS NULL OR k.api_key = ${apiKey}::text) AND (${type}::text IS NULL OR e.type = ${type}::text)
      AND (${objectId}::text IS NULL OR ${OBJECT_ID} = ${objectId}::text)
      AND e.created_at >= greatest(${since}::timestamptz, ${from}::timestamptz)
      AND e.created_at < coalesce(${to}::timestamptz, 'infinity')
    ORDER BY e.created_at DESC, e.sequence DESC LIMIT ${limit}`;
  return queryRows(pool, statement, eventSchema);
}
