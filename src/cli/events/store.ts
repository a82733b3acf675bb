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

/** Returns events of all keys, the newest first. */
export async function readEvents(
  pool: pg.Pool,
  { apiKey, type, objectId, since, limit }: EventFilter,
): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>(
    `SELECT e.created_at, e.event_id, k.api_key, e.chain_id, e.product_type, e.sequence, e.type, e.resource,
       ${OBJECT_ID} AS object_id, e.block_number, e.tx_hash, e.retracts
     FROM app.event e JOIN app.api_key k USING (key_id)
     WHERE ($1::text IS NULL OR k.api_key = $1) AND ($2::text IS NULL OR e.type = $2)
       AND ($3::text IS NULL OR ${OBJECT_ID} = $3) AND ($4::timestamptz IS NULL OR e.created_at >= $4)
     ORDER BY e.created_at DESC, e.sequence DESC LIMIT $5`,
    [apiKey, type, objectId, since, limit],
  );
  return rows;
}
