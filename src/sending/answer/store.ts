import type pg from "pg";
import { z } from "zod";
import type { Caller } from "../../auth/caller.ts";
import { headOf } from "../../claims/event-log-head.ts";
import { claimSchema, presentMapping } from "../../claims/mapping.ts";
import { depositOfOrder, outcomeOfClaim } from "../../claims/outcome-store.ts";
import { claimColumns, ownerSql } from "../../claims/ownership.ts";
import type { SortKey } from "../../context/input/list.ts";
import type { BlockRead } from "../../context/request.ts";
import type { Mapping } from "../../context/schema-types.ts";
import { queryJoined } from "../../db/query.ts";
import { join, type Sql, sql } from "../../db/sql.ts";
import { SEND_OPERATIONS, SEND_STATUSES } from "../../protocol/enums.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { presentSend, sendProgressSchema } from "../outbox/reply.ts";
import type { SendAnswer } from "../send.ts";
import type { SendListInput } from "./input.ts";

/** Reads requests to send with what they came to: the mapping of a request is that of its key's row (docs/projection.md). */

/** The status of presentSend, as the index send_request_list_idx has it; a test compares the two. */
const STATUS = sql`
  (CASE WHEN r.state IN ('accepted', 'signed') THEN 'accepted'
    WHEN r.state = 'broadcast' OR r.state = 'mined' AND NOT (r.mined_success AND NOT r.mined_filler) THEN 'submitted'
    WHEN r.state = 'mined' OR r.state = 'final' AND r.outcome = 'confirmed' THEN 'confirmed'
    ELSE 'failed' END)`;

/** One request, and its position in the list. */
interface ListedSend {
  answer: SendAnswer;
  position: Pick<SortKey, "createdMs" | "claimId">;
}

/** Returns a request of the caller's, or null. @throws ApiError DATABASE_UNAVAILABLE */
export async function readSend(
  pool: pg.Pool,
  caller: Caller,
  requestId: string,
): Promise<BlockRead<SendAnswer | null>> {
  const found = sql`
    SELECT r.request_id FROM app.send_request r WHERE r.request_id = ${requestId}::uuid AND ${ofCaller(caller)}`;
  const { block, rows } = await readRows(pool, caller, found);
  return { block, data: rows[0]?.answer ?? null };
}

/** Returns the requests behind a position, one more than asked for, and where the log of events was. */
export async function readSends(
  pool: pg.Pool,
  caller: Caller,
  input: Omit<SendListInput, "cursor">,
  after: SortKey | null,
): Promise<BlockRead<{ rows: ListedSend[]; eventSequence: bigint }>> {
  const { block, ...data } = await readRows(pool, caller, pageSql(caller, input, after));
  return { block, data };
}

const headSchema = z.object({
  eventSequence: z.coerce.bigint(),
  shownBlock: z.coerce.bigint().nullable(),
});

const ofCaller = ({ keyId, chainId, productType }: Caller): Sql => sql`
  r.key_id = ${keyId}::uuid AND r.chain_id = ${chainId} AND r.product_type = ${productType}`;

/**
 * Returns the ids of a page. One index has operation, status and time of all requests of a key, so each pair of the first two
 * that the filters allow is searched by itself for as many rows as the page has.
 */
function pageSql(
  caller: Caller,
  { status, operation, clientOrderId, from, to, limit }: Omit<SendListInput, "cursor">,
  after: SortKey | null,
): Sql {
  const of = ofCaller(caller);
  const range = [
    ...(from === undefined ? [] : [sql`r.accepted_at >= ${new Date(from * 1000)}`]),
    ...(to === undefined ? [] : [sql`r.accepted_at < ${new Date((to + 1) * 1000)}`]),
    ...(after
      ? [sql`(r.accepted_at, r.request_id) < (${new Date(after.createdMs)}, ${after.claimId}::uuid)`]
      : []),
  ];
  const page = sql`ORDER BY r.accepted_at DESC, r.request_id DESC LIMIT ${limit + 1}`;
  const search = (conditions: Sql[]) => sql`
    SELECT r.request_id, r.accepted_at FROM app.send_request r
    WHERE ${join([of, ...conditions, ...range], " AND ")} ${page}`;
  const operations = operation ? [operation] : SEND_OPERATIONS;
  const statuses = status ? [status] : SEND_STATUSES;
  if (clientOrderId !== undefined) {
    const isAsked = sql`r.operation = ANY(${operations}) AND ${STATUS} = ANY(${statuses})`;
    return search([sql`r.client_order_id = ${clientOrderId}`, isAsked]);
  }
  const each = search([sql`r.operation = pair.operation AND ${STATUS} = pair.status`]);
  return sql`
    SELECT r.request_id, r.accepted_at
    FROM (SELECT o.operation, s.status FROM unnest(${operations}::text[]) AS o (operation),
      unnest(${statuses}::text[]) AS s (status)) pair
    CROSS JOIN LATERAL (${each}) r ${page}`;
}

/** Reads the columns of found requests, and of what block their mappings are: null before the rows of the chain are complete. */
async function readRows(
  pool: pg.Pool,
  caller: Caller,
  found: Sql,
): Promise<{ block: { number: bigint } | null; rows: ListedSend[]; eventSequence: bigint }> {
  const statement = sql`
    SELECT t.*, s.* FROM (SELECT ${headOf(caller)} AS event_sequence, (SELECT g.block_number FROM app.event_chain g
      WHERE g.chain_id = ${caller.chainId} AND g.filled) AS shown_block) t
    LEFT JOIN (${columnsSql(found, shownMapping)}) s ON true
    ORDER BY s.accepted_at DESC, s.request_id DESC`;
  const { head, rows } = await queryJoined(pool, statement, {
    head: headSchema,
    row: sendSchema,
    id: "requestId",
  });
  if (!head) throw new Error("a statement returned no head");
  const { shownBlock: number, eventSequence } = head;
  return { block: number === null ? null : { number }, rows, eventSequence };
}

/** Returns the columns that sendSchema reads of the requests that `found` selects. */
const columnsSql = (found: Sql, mapping: Sql): Sql => sql`
  SELECT r.request_id::text AS request_id, r.accepted_at, r.operation, r.state AS send_state, r.tx_hash AS sent_hash,
    (extract(epoch FROM r.accepted_at) * 1000)::bigint::text AS accepted_at_ms, r.mined_success, r.mined_filler, r.outcome,
    r.err_code, r.revert, m.*
  FROM (${found}) f JOIN app.send_request r ON r.request_id = f.request_id LEFT JOIN LATERAL (${mapping}) m ON true`;

/** Returns the same with what the index has, for a caller that knows the index to be ready. */
export const sendRows = (found: Sql): Sql => columnsSql(found, indexedMapping);

/** Id of the order as the call that was sent has it: executeFor(user, cancelLimitOrder(orderId)), 32 bytes at byte 104. */
const CANCELED = sql`'0x' || encode(substring(r.call_data FROM 105 FOR 32), 'hex')`;

/** A request has the mapping of its claim. A cancel has no claim: it shows the mapping of its order, of the same key. */
const shownMapping = sql`
  SELECT ${claimColumns}, k.data AS shown
  FROM app.transaction_claim c LEFT JOIN LATERAL (
    SELECT o.data, o.ordinal FROM app.key_order o
    WHERE o.claim_id = c.claim_id AND o.data IS NOT NULL AND c.operation_type = 'trade'
    UNION ALL
    SELECT p.data, p.ordinal FROM app.key_operation p
    WHERE p.claim_id = c.claim_id AND p.data IS NOT NULL AND p.kind = c.operation_type::text
    ORDER BY ordinal LIMIT 1) k ON true
  WHERE c.claim_id = r.claim_id
  UNION ALL
  SELECT ${claimColumns}, o.data AS shown
  FROM app.key_order o JOIN app.transaction_claim c ON c.claim_id = o.claim_id
  WHERE r.operation = 'orders/cancel' AND o.chain_id = r.chain_id AND o.product_type = r.product_type AND o.key_id = r.key_id
    AND o.order_id = ${CANCELED}`;

/** The same by the index, for the projector: it reports a request beside the rows that it is about to write. */
const indexedMapping = sql`
  SELECT ${claimColumns}, o.user_address AS owned_by, o.order_id, o.operation_id, o.ordinal
  FROM app.transaction_claim c LEFT JOIN ${outcomeOfClaim} o ON true
  WHERE c.claim_id = r.claim_id
  UNION ALL
  SELECT ${claimColumns}, o.user_address AS owned_by, o.order_id, ${depositOfOrder("o")} AS operation_id,
    (SELECT count(*)::int FROM onchain.stock_order s
      WHERE s.chain_id = o.chain_id AND s.product_type = o.product_type AND s.tx_hash = o.tx_hash
        AND s.log_index < o.log_index) AS ordinal
  FROM onchain.stock_order o
  JOIN ${ownerSql("o", sql`'trade'`)} owner ON true
  JOIN app.transaction_claim c ON c.claim_id = owner.claim_id AND c.key_id = r.key_id
  WHERE r.operation = 'orders/cancel' AND o.chain_id = r.chain_id AND o.product_type = r.product_type
    AND o.order_id = ${CANCELED}`;

/** A request as columnsSql selects it. */
export const sendSchema = z.record(z.string(), z.unknown()).transform((row): ListedSend => {
  const progress = sendProgressSchema.parse({ ...row, state: row.sendState, txHash: row.sentHash });
  return {
    answer: { ...presentSend(progress), mapping: row.claimId === null ? null : mappingOf(row) },
    position: { createdMs: progress.acceptedAtMs, claimId: progress.requestId },
  };
});

const shownSchema = z.object({ shown: z.string().nullish() });
const outcomeSchema = z.object({
  ownedBy: storedHex.nullable(),
  orderId: storedHex.nullable(),
  operationId: storedHex.nullable(),
  ordinal: z.number().nullable(),
});

function mappingOf(row: Record<string, unknown>): Mapping {
  const { shown } = shownSchema.parse(row);
  if (shown) return (JSON.parse(shown) as { mapping: Mapping }).mapping;
  if (shown === null) return presentMapping(claimSchema.parse(row), null);
  const { ownedBy: userAddress, ordinal, ...ids } = outcomeSchema.parse(row);
  const outcome = userAddress && { userAddress, ...ids, ordinal: ordinal ?? 0, indexed: true };
  return presentMapping(claimSchema.parse(row), outcome);
}
