import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { plannedOnce } from "../../../db/planned-once.ts";
import { queryRows } from "../../../db/query.ts";
import { type Sql, sql } from "../../../db/sql.ts";
import { EVENT_TYPES } from "../../../protocol/enums.ts";
import { sendRows, sendSchema } from "../../../sending/answer/store.ts";
import type { SendAnswer } from "../../../sending/send.ts";
import type { Draft } from "../compare.ts";
import { hashOf } from "../hash.ts";
import { json } from "../log-store.ts";
import { NOTHING, type Source } from "../source.ts";

/**
 * Requests to send. A trigger enters those whose replies change; those whose claims came to something else have another reply, too: it has
 * the mapping of its claim.
 */
export const SENDS: Source = {
  name: "sends",
  due: ["sends"],
  async compare(client, { chainId, found }, { sentClaimIds }) {
    if (found.ids.length === 0 && sentClaimIds.length === 0) return NOTHING;
    const current = await readNow(client, found.ids, sentClaimIds);
    const reported = await readReported(
      client,
      current.map(({ answer }) => answer.requestId),
    );
    const reports = compareSends(current, reported, new Set(found.ids));
    return { events: reports.map(({ event }) => event), remember: [rememberItem(chainId, reports)] };
  },
};

/** The last report of a request: its row of app.event_memory. */
const reportedSchema = z.object({
  requestId: z.string(),
  eventId: z.string(),
  type: z.enum(EVENT_TYPES),
  /** MD5 of what it presented. */
  dataHash: z.string(),
});
type Reported = z.output<typeof reportedSchema>;

/** Returns the last reports of some requests, by request. */
async function readReported(
  client: pg.PoolClient,
  requestIds: readonly string[],
): Promise<Map<string, Reported>> {
  const statement = sql`
    SELECT m.claim_id::text AS request_id, m.event_id::text AS event_id, m.type, m.data_hash::text AS data_hash
    FROM app.event_memory m WHERE m.claim_id = ANY(${requestIds}::uuid[]) AND m.resource = 'sends'`;
  const rows = await queryRows(client, statement, reportedSchema);
  return new Map(rows.map((row) => [row.requestId, row]));
}

const rememberItem = (chainId: number, reports: readonly Report[]): Sql => sql`
  sends AS (
    INSERT INTO app.event_memory (chain_id, resource, ordinal, sequence, claim_id, key_id, product_type, tx_hash, event_id, type, data_hash)
    SELECT ${chainId}::int, 'sends', 0, 0, m.* FROM jsonb_to_recordset(${json(reports.map(({ memory }) => memory))}::jsonb)
      AS m (request_id uuid, key_id uuid, product_type text, tx_hash text, event_id uuid, type text, data_hash uuid)
    ON CONFLICT (claim_id, resource, ordinal) DO UPDATE SET tx_hash = excluded.tx_hash, event_id = excluded.event_id,
      type = excluded.type, data_hash = excluded.data_hash
  )`;

/** A request to send as it is now. */
interface CurrentSend {
  keyId: string;
  productType: string;
  /** Of its receipt. */
  blockNumber: bigint | null;
  answer: SendAnswer;
}

const currentSchema = z.record(z.string(), z.unknown()).transform((row): CurrentSend => {
  return { ...scopeSchema.parse(row), answer: sendSchema.parse(row).answer };
});

const scopeSchema = z
  .object({ keyId: z.string(), scopeProduct: z.string(), minedBlock: z.coerce.bigint().nullable() })
  .transform(({ keyId, scopeProduct: productType, minedBlock: blockNumber }) => ({
    keyId,
    productType,
    blockNumber,
  }));

/** Returns requests as their GET answers them: those named, and those of some claims. The index is ready. */
function readNow(
  client: pg.PoolClient,
  requestIds: readonly string[],
  claimIds: readonly string[],
): Promise<CurrentSend[]> {
  const found = sql`
    SELECT l.request_id FROM unnest(${requestIds}::uuid[]) AS l (request_id)
    UNION SELECT r.request_id FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
      SELECT s.request_id FROM app.send_request s WHERE s.claim_id = l.claim_id OFFSET 0) r`;
  const statement = sql`
    SELECT s.*, k.key_id::text AS key_id, k.product_type AS scope_product, k.mined_block::text AS mined_block
    FROM (${sendRows(found)}) s JOIN app.send_request k ON k.request_id = s.request_id::uuid
    ORDER BY k.sequence`;
  return queryRows(client, plannedOnce(statement), currentSchema);
}

interface Report {
  event: Draft;
  memory: Pick<Draft, "keyId" | "productType" | "txHash"> & Reported;
}

/**
 * Returns the events that bring the log from what it last reported of requests to what their replies say now. One that is no
 * more than accepted is reported by no event, and one whose mapping alone changed only if it was reported before.
 * @param changed requests whose replies changed since: of these the log reports also where that was undone meanwhile
 */
function compareSends(
  current: readonly CurrentSend[],
  reported: ReadonlyMap<string, Reported>,
  changed: ReadonlySet<string>,
): Report[] {
  return current.flatMap((send) => {
    const { requestId, status } = send.answer;
    const before = reported.get(requestId);
    const data = JSON.stringify(send.answer);
    const isNews = changed.has(requestId) || (before !== undefined && before.dataHash !== hashOf(data));
    return status === "accepted" || !isNews ? [] : [reportOf(send, `send.${status}`, before, data)];
  });
}

function reportOf(
  { keyId, productType, blockNumber, answer }: CurrentSend,
  type: Draft["type"],
  before: Reported | undefined,
  data: string,
): Report {
  const { requestId, txHash } = answer;
  const common = { keyId, productType, type, eventId: randomUUID(), txHash } as const;
  // A confirmation holds until a reorg takes the block out; nothing else that was reported is taken back.
  const isTakenBack = before?.type === "send.confirmed" && type !== "send.confirmed";
  const retracts = isTakenBack ? before.eventId : null;
  return {
    event: { ...common, resource: "sends", object: `sends ${requestId}`, blockNumber, retracts, data },
    memory: { ...common, requestId, dataHash: hashOf(data) },
  };
}
