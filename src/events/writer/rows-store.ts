import { createHash } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { type ClaimRows, changedAt, fingerprintOf } from "../../claims/indexed-rows.ts";
import { type Claim, claimSchema } from "../../claims/mapping.ts";
import { claimColumns } from "../../claims/ownership.ts";
import { readSetAtBlock } from "../../db/checkpoint.ts";
import { Prisma } from "../../db/generated/client.ts";
import type { Select } from "../../db/select.ts";
import { OPERATION_KINDS, RESOURCES } from "../../operations/kinds.ts";
import { OPERATION_ROWS } from "../../operations/store.ts";
import { ORDER_ROWS } from "../../orders/store.ts";
import { EVENT_RESOURCES, EVENT_TYPES } from "../../protocol/enums.ts";
import { SOURCES, select } from "./changes-store.ts";
import type { IndexedObject, Remembered, RowName } from "./compare.ts";

/** Reads what claims come to now, and what the log remembers of it, in the transaction that appends to the log. */

type Client = pg.PoolClient;

const keySchema = z.object({ key_id: z.string() });

/** A claim and its key. */
export interface KeyedClaim {
  claim: Claim;
  keyId: string;
}

/**
 * Returns, by id, the claims whose rows a change of some transactions or claims may have changed: all claims to those transactions,
 * and to others that carry the same suffix.
 */
export async function readAffected(
  client: Client,
  { chainId, hashes, claimIds }: { chainId: number; hashes: readonly string[]; claimIds: readonly string[] },
): Promise<Map<string, KeyedClaim>> {
  const claimsOf = (hashesAsS: Prisma.Sql) => Prisma.sql`
    SELECT c.claim_id, c.tx_hash, c.attribution_nonce FROM ${hashesAsS} CROSS JOIN LATERAL (
      SELECT * FROM app.transaction_claim t WHERE t.chain_id = ${chainId} AND t.tx_hash = s.tx_hash OFFSET 0) c`;
  const rows = await select(
    client,
    Prisma.sql`
      WITH named AS MATERIALIZED (
        ${claimsOf(Prisma.sql`unnest(${hashes}::text[]) AS s (tx_hash)`)}
        UNION SELECT c.claim_id, c.tx_hash, c.attribution_nonce
        FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
          SELECT * FROM app.transaction_claim t WHERE t.claim_id = l.claim_id AND t.chain_id = ${chainId} OFFSET 0) c
      ), hash AS MATERIALIZED (
        SELECT n.tx_hash FROM named n WHERE n.tx_hash IS NOT NULL
        UNION SELECT e.tx_hash FROM named n CROSS JOIN LATERAL (
          SELECT t.tx_hash FROM app.transaction_claim t
          WHERE t.attribution_nonce = n.attribution_nonce AND t.chain_id = ${chainId} AND t.tx_hash IS NOT NULL OFFSET 0) e
      )
      SELECT ${claimColumns}, c.key_id::text AS key_id
      FROM (SELECT n.claim_id FROM named n UNION SELECT a.claim_id FROM (${claimsOf(Prisma.sql`hash AS s`)}) a) l
      CROSS JOIN LATERAL (SELECT * FROM app.transaction_claim t WHERE t.claim_id = l.claim_id OFFSET 0) c`,
  );
  const claims = rows.map((row) => ({ claim: claimSchema.parse(row), keyId: keySchema.parse(row).key_id }));
  return new Map(claims.map((one) => [one.claim.claim_id, one]));
}

/** Columns that the log needs of a row, beside what lists read. */
const rowSchema = z.object({
  key_id: z.string(),
  fingerprint: z.string(),
  row_hash: z.string().nullable(),
  changed_block: z.coerce.bigint().nullable(),
  /** Unix milliseconds. */
  changed_ms: z.coerce.number(),
  log_index: z.number(),
});
export type LogColumns = z.output<typeof rowSchema>;

/** Parses what rowsOf selects beside the columns of the list. */
export const parseLogColumns = (row: Record<string, unknown>): LogColumns => rowSchema.parse(row);

/**
 * Reads the rows of lists that claims own now, with the MD5 of all that lists read of them and of their rows in the index.
 * @throws ApiError INDEXER_BEHIND
 */
export async function readCurrent(client: Client, chainId: number, claimIds: readonly string[]) {
  const run: Select = (statement) => select(client, statement);
  const read = async (rows: ClaimRows) => (await readSetAtBlock(run, chainId, rowsOf(rows, claimIds))).data;
  return { orders: await read(ORDER_ROWS), operations: await read(OPERATION_ROWS) };
}

const rowsOf = (
  { columns, joins, where, version }: ClaimRows,
  claimIds: readonly string[],
): Prisma.Sql => Prisma.sql`
  SELECT r.* FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
    SELECT p.*, ${fingerprintOf("p")}::text AS fingerprint, c.key_id::text AS key_id, v.row_hash::text AS row_hash,
      v.changed_block::text AS changed_block, (extract(epoch FROM ${changedAt}) * 1000)::bigint::text AS changed_ms,
      coalesce(o.log_index, -1) AS log_index
    FROM app.transaction_claim c ${joins} LEFT JOIN LATERAL (${version}) v ON true
    CROSS JOIN LATERAL (SELECT ${columns} OFFSET 0) p
    WHERE c.claim_id = l.claim_id AND ${where} OFFSET 0) r`;

const unownedSchema = z
  .object({
    product_type: z.string(),
    object_id: z.string(),
    tx_hash: z.string(),
    row_hash: z.string(),
    block_number: z.coerce.bigint(),
  })
  .transform(
    (row): IndexedObject => ({
      productType: row.product_type,
      objectId: row.object_id,
      txHash: row.tx_hash,
      rowHash: row.row_hash,
      blockNumber: row.block_number,
    }),
  );

/** Returns all that some transactions did, by the index, whoever owns it. */
export async function readObjects(
  client: Client,
  chainId: number,
  hashes: readonly string[],
): Promise<IndexedObject[]> {
  const parts = SOURCES.map(
    ({ table, id, block }) => Prisma.sql`
      SELECT o.product_type, ${Prisma.raw(`o.${id}`)} AS object_id, o.tx_hash, md5(o::text)::uuid::text AS row_hash,
        ${Prisma.raw(`o.${block}`)}::text AS block_number
      FROM unnest(${hashes}::text[]) AS l (tx_hash) CROSS JOIN LATERAL (
        SELECT * FROM ${Prisma.raw(`onchain.${table}`)} t
        WHERE t.chain_id = ${chainId} AND t.tx_hash = l.tx_hash OFFSET 0) o`,
  );
  const rows = await select(client, Prisma.join(parts, " UNION ALL "));
  return rows.map((row) => unownedSchema.parse(row));
}

const memorySchema = z
  .object({
    claim_id: z.string(),
    resource: z.enum(EVENT_RESOURCES),
    ordinal: z.number(),
    key_id: z.string(),
    product_type: z.string(),
    tx_hash: z.string().nullable(),
    object_id: z.string().nullable(),
    event_id: z.string().nullable(),
    type: z.enum(EVENT_TYPES),
    sequence: z.coerce.bigint(),
    data_hash: z.string().nullable(),
    fingerprint: z.string().nullable(),
    row_hash: z.string().nullable(),
    block_number: z.coerce.bigint().nullable(),
  })
  .transform(
    (row): Remembered => ({
      claimId: row.claim_id,
      resource: row.resource,
      ordinal: row.ordinal,
      keyId: row.key_id,
      productType: row.product_type,
      txHash: row.tx_hash,
      objectId: row.object_id,
      eventId: row.event_id,
      type: row.type,
      sequence: row.sequence,
      dataHash: row.data_hash,
      fingerprint: row.fingerprint,
      rowHash: row.row_hash,
      blockNumber: row.block_number,
    }),
  );

/** Returns what the log last reported of the rows of some claims, and the rows of theirs that it never reported. */
export async function readRemembered(client: Client, claimIds: readonly string[]): Promise<Remembered[]> {
  const rows = await select(
    client,
    Prisma.sql`
      SELECT m.claim_id, m.resource, m.ordinal, m.key_id, m.product_type, m.tx_hash, m.object_id, m.event_id, m.type,
        m.sequence, m.data_hash, m.fingerprint, m.row_hash, m.block_number
      FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
        SELECT ${MEMORY} FROM app.event_memory m WHERE m.claim_id = l.claim_id
        UNION ALL
        ${unreported("key_order", "order_id", Prisma.sql`'orders'`)}
        UNION ALL
        ${unreported("key_operation", "operation_id", resourceOfKind)}
        OFFSET 0) m`,
  );
  return rows.map((row) => memorySchema.parse(row));
}

const MEMORY = Prisma.sql`
  m.claim_id, m.resource, m.ordinal, m.key_id, m.chain_id, m.product_type, m.tx_hash, m.object_id, m.event_id, m.type, m.sequence,
  m.data_hash, m.fingerprint, m.row_hash, m.block_number`;

const resourceOfKind = Prisma.sql`CASE r.kind ${Prisma.join(
  OPERATION_KINDS.map((kind) => Prisma.raw(`WHEN '${kind}' THEN '${RESOURCES[kind]}'`)),
  " ",
)} END`;

/** Selects the rows of a claim that are the state from before the log, in the columns of app.event_memory. */
const unreported = (table: string, id: string, resource: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT r.claim_id, ${resource}, r.ordinal, r.key_id, r.chain_id, r.product_type, r.tx_hash,
    ${Prisma.raw(`r.${id}`)}, NULL::uuid, r.type, 0::bigint, md5(r.data)::uuid, NULL::uuid, r.row_hash, r.block_number
  FROM ${Prisma.raw(`app.${table}`)} r
  WHERE r.claim_id = l.claim_id AND r.event_id IS NULL AND NOT r.unreported AND NOT EXISTS (
    SELECT 1 FROM app.event_memory k
    WHERE k.claim_id = r.claim_id AND k.resource = ${resource} AND k.ordinal = r.ordinal)`;

const nameSchema = z.object({ claim_id: z.string(), resource: z.enum(EVENT_RESOURCES), ordinal: z.number() });

/** Returns the rows of some claims that triggers wrote and that are not reported as they are. */
export async function readUnreported(client: Client, claimIds: readonly string[]): Promise<RowName[]> {
  const of = (table: string, resource: Prisma.Sql) => Prisma.sql`
    SELECT r.claim_id::text AS claim_id, ${resource} AS resource, r.ordinal FROM ${Prisma.raw(`app.${table}`)} r
    WHERE r.claim_id = ANY(${claimIds}::uuid[]) AND r.unreported`;
  const rows = await select(
    client,
    Prisma.sql`${of("key_order", Prisma.sql`'orders'`)} UNION ALL ${of("key_operation", resourceOfKind)}`,
  );
  return rows.map((row) => {
    const { claim_id: claimId, resource, ordinal } = nameSchema.parse(row);
    return { claimId, resource, ordinal };
  });
}

/** Returns the MD5 of what an event presents, in the form of a UUID. */
export function hashOf(data: string): string {
  const digits = createHash("md5").update(data).digest("hex");
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join("-");
}
