import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../../../db/query.ts";
import { sql } from "../../../db/sql.ts";
import type { SendAnswer } from "../../../sending/send.ts";
import { sendRows, sendSchema } from "../../../sends/store.ts";
import type { Draft, Remembered } from "../compare.ts";
import { hashOf } from "../hash.ts";
import { readRemembered, rememberItem } from "../memory-store.ts";
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
    const requestIds = current.map(({ answer }) => answer.requestId);
    const remembered = await readRemembered(client, requestIds);
    const reports = compareSends(current, remembered, new Set(found.ids));
    return {
      events: reports.map(({ event }) => event),
      remember: [
        rememberItem(
          "sends",
          chainId,
          reports.map(({ memory }) => memory),
        ),
      ],
    };
  },
};

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
  return queryRows(client, statement, currentSchema);
}

interface Report {
  event: Draft;
  memory: Remembered;
}

/**
 * Returns the events that bring the log from what it last reported of requests to what their replies say now. One that is no
 * more than accepted is reported by no event, and one whose mapping alone changed only if it was reported before.
 * @param changed requests whose replies changed since: of these the log reports also where that was undone meanwhile
 */
function compareSends(
  current: readonly CurrentSend[],
  remembered: readonly Remembered[],
  changed: ReadonlySet<string>,
): Report[] {
  const known = new Map(remembered.map((row) => [row.claimId, row]));
  return current.flatMap((send) => {
    const { requestId, status } = send.answer;
    const before = known.get(requestId);
    const data = JSON.stringify(send.answer);
    const isNews = changed.has(requestId) || (before !== undefined && before.dataHash !== hashOf(data));
    return status === "accepted" || !isNews ? [] : [reportOf(send, `send.${status}`, before, data)];
  });
}

function reportOf(
  { keyId, productType, blockNumber, answer }: CurrentSend,
  type: Draft["type"],
  before: Remembered | undefined,
  data: string,
): Report {
  const { requestId, txHash } = answer;
  const common = { keyId, productType, type, eventId: randomUUID(), resource: "sends", txHash } as const;
  // A confirmation holds until a reorg takes the block out; nothing else that was reported is taken back.
  const isTakenBack = before?.type === "send.confirmed" && type !== "send.confirmed";
  const hash = hashOf(data);
  return {
    event: { ...common, blockNumber, retracts: isTakenBack ? before.eventId : null, data },
    memory: {
      ...common,
      ...{ claimId: requestId, ordinal: 0, objectId: null, sequence: 0n, dataHash: hash, fingerprint: hash },
      // Not of the index: what is verified after reorgs are its rows.
      ...{ rowHash: null, blockNumber: null },
    },
  };
}
