import type pg from "pg";
import type { Hex } from "viem";

export interface EventRow {
  created_at: Date;
  event_id: string;
  api_key: string;
  chain_id: number;
  product_type: string;
  sequence: string;
  type: string;
  resource: string;
  object_id: string | null;
  block_number: string | null;
  tx_hash: Hex | null;
  /** The event that this one withdraws. */
  retracts: string | null;
}

export interface EventFilter {
  apiKey: string | null;
  type: string | null;
  objectId: string | null;
  since: Date | null;
  limit: number;
}

// PostgreSQL reads no field of JSON that holds an escaped zero byte, as the name of a token may: such an event is listed without
// its object.
const OBJECT_ID = `
  CASE WHEN strpos(e.data::text, '\\u0000') = 0
    THEN coalesce(e.data ->> 'orderId', e.data ->> 'operationId', e.data ->> 'requestId') END`;

const HOUR_MS = 3_600_000;
const SPAN_MS_MIN = 60_000;
/** A statement that takes less is followed by one of twice its span, and one that takes more by one of half. Milliseconds. */
const TAKES_MIN = 200;
const TAKES_MAX = 2_000;
const SPAN_MS_MAX = 7 * 24 * HOUR_MS;

/**
 * Returns events of all keys, the newest first. No index has an event's type or object: the log is read backwards, a span of time
 * in each statement, so that none of them reads all of it.
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

async function readOldest(pool: pg.Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ oldest: Date | null }>(
    "SELECT min(created_at) AS oldest FROM app.event",
  );
  return rows[0]?.oldest ?? null;
}

async function readSpan(
  pool: pg.Pool,
  { apiKey, type, objectId, since, limit }: EventFilter,
  from: Date,
  to: Date | null,
): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>(
    `SELECT e.created_at, e.event_id, k.api_key, e.chain_id, e.product_type, e.sequence, e.type, e.resource,
       ${OBJECT_ID} AS object_id, e.block_number, e.tx_hash, e.retracts
     FROM app.event e JOIN app.api_key k USING (key_id)
     WHERE ($1::text IS NULL OR k.api_key = $1) AND ($2::text IS NULL OR e.type = $2)
       AND ($3::text IS NULL OR ${OBJECT_ID} = $3) AND e.created_at >= greatest($4::timestamptz, $5::timestamptz)
       AND e.created_at < coalesce($6::timestamptz, 'infinity')
     ORDER BY e.created_at DESC, e.sequence DESC LIMIT $7`,
    [apiKey, type, objectId, since, from, to, limit],
  );
  return rows;
}
