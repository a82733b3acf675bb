import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../../db/query.ts";
import { join, raw, type Sql, sql } from "../../db/sql.ts";
import { EVENT_RESOURCES, EVENT_TYPES } from "../../protocol/enums.ts";
import type { Remembered } from "./compare.ts";
import { json } from "./log-store.ts";
import type { KeyTable } from "./sources/list.ts";
import { LISTS } from "./sources/lists.ts";

/** Reads and writes what the log last reported of the rows of claims, and of requests to send: app.event_memory. */

/** The columns that a row is read and written by, with their types. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...{
    claim_id: "uuid",
    resource: "text",
    ordinal: "int",
    key_id: "uuid",
    product_type: "text",
    tx_hash: "text",
  },
  ...{ object_id: "text", event_id: "uuid", type: "text", sequence: "bigint", data_hash: "uuid" },
  ...{ fingerprint: "uuid", row_hash: "uuid", block_number: "bigint" },
};
const NAMES = Object.keys(COLUMNS);
const columnsOf = (alias: string): Sql => raw(NAMES.map((name) => `${alias}.${name}`).join(", "));

const memorySchema: z.ZodType<Remembered> = z.object({
  claimId: z.string(),
  resource: z.enum(EVENT_RESOURCES),
  ordinal: z.number(),
  keyId: z.string(),
  productType: z.string(),
  txHash: z.string().nullable(),
  objectId: z.string().nullable(),
  eventId: z.string().nullable(),
  type: z.enum(EVENT_TYPES),
  sequence: z.coerce.bigint(),
  dataHash: z.string().nullable(),
  fingerprint: z.string().nullable(),
  rowHash: z.string().nullable(),
  blockNumber: z.coerce.bigint().nullable(),
});

/**
 * Returns what the log last reported of the rows of some claims, or of some requests; and the rows of claims that it never reported.
 */
export function readRemembered(client: pg.PoolClient, ids: readonly string[]): Promise<Remembered[]> {
  const statement = sql`
    SELECT ${columnsOf("m")} FROM unnest(${ids}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
      SELECT ${columnsOf("m")} FROM app.event_memory m WHERE m.claim_id = l.claim_id
      UNION ALL
      ${join(
        LISTS.map(({ table }) => unreported(table)),
        " UNION ALL ",
      )}
      OFFSET 0) m`;
  return queryRows(client, statement, memorySchema);
}

/** Selects the rows of a claim that are the state from before the log, in the columns of app.event_memory. */
const unreported = ({ name, id, resource }: KeyTable): Sql => sql`
  SELECT r.claim_id, ${resource}, r.ordinal, r.key_id, r.product_type, r.tx_hash, ${raw(`r.${id}`)}, NULL::uuid, r.type,
    0::bigint, md5(r.data)::uuid, NULL::uuid, r.row_hash, r.block_number
  FROM ${raw(`app.${name}`)} r
  WHERE r.claim_id = l.claim_id AND r.event_id IS NULL AND NOT r.unreported AND NOT EXISTS (
    SELECT 1 FROM app.event_memory k
    WHERE k.claim_id = r.claim_id AND k.resource = ${resource} AND k.ordinal = r.ordinal)`;

/** Returns a WITH item that writes what the log last reported. A sequence counts only where the event is none of the statement. */
export function rememberItem(name: string, chainId: number, remembered: readonly Remembered[]): Sql {
  const values = raw(
    NAMES.map((n) => (n === "sequence" ? "coalesce(n.sequence, m.sequence)" : `m.${n}`)).join(", "),
  );
  const types = raw(NAMES.map((n) => `${n} ${COLUMNS[n]}`).join(", "));
  return sql`
    ${raw(name)} AS (
      INSERT INTO app.event_memory (chain_id, ${raw(NAMES.join(", "))})
      SELECT ${chainId}::int, ${values} FROM jsonb_to_recordset(${json(remembered)}::jsonb) AS m (${types})
      LEFT JOIN numbered n ON n.event_id = m.event_id
      ON CONFLICT (claim_id, resource, ordinal) DO UPDATE SET tx_hash = excluded.tx_hash,
        object_id = excluded.object_id, event_id = excluded.event_id, type = excluded.type,
        sequence = excluded.sequence, data_hash = excluded.data_hash, fingerprint = excluded.fingerprint,
        row_hash = excluded.row_hash, block_number = excluded.block_number
    )`;
}
