import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { whereIndexed } from "../../db/errors.ts";
import { queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { DELIVERY_STATUSES, EVENT_TYPES } from "../../protocol/enums.ts";
import { storedHex } from "../../protocol/shapes.ts";

/** Reads the events about a timeline's object, and their deliveries. */

const eventSchema = z.object({
  eventId: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  productType: z.string(),
  sequence: z.coerce.bigint(),
  type: z.enum(EVENT_TYPES),
  createdMs: z.coerce.number(),
  blockNumber: z
    .string()
    .transform((value) => BigInt(value))
    .nullable(),
  txHash: storedHex.nullable(),
  retracts: z.string().nullable(),
  /** Of an event about a request to send. */
  requestId: z.string().nullable(),
  /** orderId or operationId; null while it was not indexed. */
  objectId: z.string().nullable(),
});
export type EventRow = z.output<typeof eventSchema>;

/** The condition of the index event_subject_idx, as a literal: a parameter would leave it out of generic plans. */
const IS_READABLE = sql`strpos(e.data::text, '\\u0000') = 0`;
/** Claim that an event is about, or else its request to send, as that index has it. */
const SUBJECT = sql`
  left(coalesce(e.data -> 'mapping' ->> 'mappingId', e.data ->> 'mappingId', e.data ->> 'requestId'), 36)`;

export const EVENTS_MAX = 200;

/** Returns the events about claims and requests, oldest first, one more than a timeline shows. */
export async function readEvents(
  { pool }: Pick<Deps, "pool">,
  subjects: readonly string[],
): Promise<EventRow[]> {
  if (subjects.length === 0) return [];
  const statement = sql`
      SELECT e.event_id::text AS event_id, e.key_id::text AS key_id, k.name AS key_name, e.product_type,
        e.sequence::text AS sequence, e.type, (extract(epoch FROM e.created_at) * 1000)::bigint::text AS created_ms,
        e.block_number::text AS block_number, e.tx_hash, e.retracts::text AS retracts,
        e.data ->> 'requestId' AS request_id, coalesce(e.data ->> 'orderId', e.data ->> 'operationId') AS object_id
      FROM app.event e JOIN app.api_key k ON k.key_id = e.key_id
      WHERE ${IS_READABLE} AND ${SUBJECT} = ANY(${subjects}::text[]) ORDER BY e.created_at, e.sequence LIMIT ${EVENTS_MAX + 1}`;
  return queryRows(pool, statement, eventSchema);
}

/** Id of the order as the call that was sent has it: executeFor(user, cancelLimitOrder(orderId)), 32 bytes at byte 104. */
const CANCELED = sql`'0x' || encode(substring(r.call_data FROM 105 FOR 32), 'hex')`;

const canceledSchema = z.object({ claimId: z.string(), orderId: storedHex, productType: z.string() });
export type Canceled = z.output<typeof canceledSchema>;

/**
 * Returns the order that a request cancels, with the claims of its key to the order's transaction: events of a cancel, which has
 * no claim, are logged under those.
 */
export function readCanceled({ pool }: Pick<Deps, "pool">, requestId: string): Promise<Canceled[]> {
  const statement = sql`
    SELECT c.claim_id, o.order_id, o.product_type FROM app.send_request r
    JOIN onchain.stock_order o
      ON o.chain_id = r.chain_id AND o.product_type = r.product_type AND o.order_id = ${CANCELED}
    JOIN app.transaction_claim c
      ON c.chain_id = o.chain_id AND c.tx_hash = o.tx_hash AND c.key_id = r.key_id AND c.operation_type = 'trade'
    WHERE r.request_id = ${requestId}::uuid AND r.operation = 'orders/cancel'`;
  return whereIndexed(() => queryRows(pool, statement, canceledSchema), []);
}

const deliverySchema = z.object({
  eventId: z.string(),
  webhookId: z.string(),
  state: z.enum(DELIVERY_STATUSES),
  attempts: z.number(),
  lastStatusCode: z.number().nullable(),
  lastError: z.string().nullable(),
  attemptedMs: z.string().transform(Number).nullable(),
  nextMs: z.string().transform(Number).nullable(),
  endedMs: z.string().transform(Number).nullable(),
  disabledReason: z.string().nullable(),
});
export type DeliveryRow = z.output<typeof deliverySchema>;

const milliseconds = (column: string, alias: string): Sql =>
  raw(`(extract(epoch FROM d.${column}) * 1000)::bigint::text AS ${alias}`);

const DELIVERIES_MAX = 200;

/** Returns the deliveries of events, by webhook. What a webhook's URL and secrets are is not read. */
export async function readDeliveries(
  { pool }: Pick<Deps, "pool">,
  chainId: number,
  events: readonly EventRow[],
): Promise<DeliveryRow[]> {
  if (events.length === 0) return [];
  const records = events.map(({ keyId, productType, sequence }) => ({
    key_id: keyId,
    product_type: productType,
    sequence: sequence.toString(),
  }));
  const statement = sql`
      SELECT d.event_id::text AS event_id, w.webhook_id::text AS webhook_id, d.state, d.attempts, d.last_status_code,
        d.last_error, ${milliseconds("last_attempt_at", "attempted_ms")}, ${milliseconds("next_at", "next_ms")},
        ${milliseconds("ended_at", "ended_ms")}, w.disabled_reason
      FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS e (key_id uuid, product_type text, sequence bigint)
      JOIN app.webhook w ON w.key_id = e.key_id AND w.chain_id = ${chainId} AND w.product_type = e.product_type
      JOIN app.webhook_delivery d ON d.webhook_id = w.webhook_id AND d.sequence = e.sequence
      WHERE w.deleted_at IS NULL ORDER BY d.sequence, w.created_at LIMIT ${DELIVERIES_MAX}`;
  return queryRows(pool, statement, deliverySchema);
}
