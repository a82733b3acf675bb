import { LRUCache } from "lru-cache";
import { z } from "zod";
import { withDatabaseErrors } from "../db/errors.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import type { Select } from "../db/select.ts";
import type { LogName } from "../input/event-cursor.ts";
import type { EventResource, EventType } from "../protocol/enums.ts";

/**
 * Joins lists to the log of events (docs/events.md). A list may be ahead of the log. What it showed then, and what it left out
 * although the log has reported it, is entered into app.event_due before it answers: should a reorg take that back before the
 * log reports it, the log reports what holds.
 */

/** A list of one key, as the log names it. */
export interface ReportedList {
  keyId: string;
  chainId: number;
  productType: string;
  resource: EventResource;
  /** Types of the events that report rows which pass the list's filter; left out: any. */
  types?: readonly EventType[] | undefined;
}

/** Describes the rows of claims, in SQL over the claim `c` and the order or operation `o`. */
export interface ReportedRows {
  joins: Prisma.Sql;
  /** Holds for the rows that a claim owns. */
  owned: Prisma.Sql;
  /** The id of the order or operation. */
  object: Prisma.Sql;
  /** A SELECT of the version of its row in the index: row_hash and changed_block. */
  version: Prisma.Sql;
}

/** Returns the version of the row that a table of the index has of `o`. */
export const versionOf = (table: string, id: string, block: string): Prisma.Sql =>
  Prisma.raw(`
    SELECT md5(b::text)::uuid AS row_hash, b.${block} AS changed_block FROM onchain.${table} b
    WHERE b.chain_id = o.chain_id AND b.product_type = o.product_type AND b.${id} = o.${id}`);

/** Returns the sequence of the last event of a key in one scope, as a scalar subquery. */
export const headOf = ({ keyId, chainId, productType }: LogName): Prisma.Sql => Prisma.sql`
  coalesce((SELECT h.sequence FROM app.event_head h WHERE h.key_id = ${keyId}::uuid AND h.chain_id = ${chainId}
    AND h.product_type = ${productType}), 0)::text`;

const lastSchema = z.object({ head: z.coerce.bigint() });

/** Returns the sequence of the last event of a key in one scope. @throws ApiError DATABASE_UNAVAILABLE */
export async function readHead(select: Select, log: LogName): Promise<bigint> {
  const [row] = await withDatabaseErrors(() => select(Prisma.sql`SELECT ${headOf(log)} AS head`));
  return lastSchema.parse(row).head;
}

/** Returns the MD5 of all columns that a list reads of a row. */
export const fingerprintOf = (alias: "d" | "p"): Prisma.Sql => Prisma.raw(`md5(${alias}::text)::uuid`);

/** Returns true where the log has not reported a row as the list reads it. */
export const isUnreported = (alias: "d" | "p", { resource }: ReportedList): Prisma.Sql => {
  const row = Prisma.raw(alias);
  return Prisma.sql`
    NOT EXISTS (SELECT 1 FROM app.event_memory m
      WHERE m.claim_id = ${row}.claim_id::uuid AND m.resource = ${resource} AND m.ordinal = ${row}.ordinal
        AND m.fingerprint = ${fingerprintOf(alias)})`;
};

/**
 * Returns, as a scalar subquery, the claims of the tail with a reported row that the list, in `tail`, leaves out: one that the claim
 * no longer owns, or one that a filter leaves out although the log has reported it otherwise. Settled rows need no look: they are
 * final, and a claim with a report beyond the settled block is not settled.
 */
export const omittedOfTail = (reported: ReportedList, rows: ReportedRows): Prisma.Sql => Prisma.sql`
  (SELECT json_agg(DISTINCT m.claim_id) FROM tail_claim l CROSS JOIN LATERAL (
      SELECT m.claim_id, m.object_id, m.row_hash FROM app.event_memory m
      WHERE m.claim_id = l.claim_id AND ${isOfList(reported)} OFFSET 0) m
    WHERE (SELECT usable FROM usable)
      AND (m.claim_id, coalesce(m.object_id, '')) NOT IN (SELECT t.claim_id, t.object_id FROM tail t)
      AND NOT ${isAsReported(rows)})`;

/**
 * Returns the same of a list that is read from all claims: of what is not final by the log or by the index.
 * @param where what the list lets through
 */
export const omittedOfAll = (reported: ReportedList, rows: ReportedRows, where: Prisma.Sql): Prisma.Sql => {
  const safe = Prisma.sql`(SELECT substr(p.safe_checkpoint, 27, 16)::bigint FROM onchain._ponder_checkpoint p
    WHERE p.chain_id = ${reported.chainId})`;
  const scope = Prisma.sql`m.chain_id = ${reported.chainId} AND m.product_type = ${reported.productType}
    AND m.key_id = ${reported.keyId}::uuid AND ${isOfList(reported)}`;
  const objects = (table: string, id: string, block: string) => Prisma.sql`
    SELECT m.* FROM ${Prisma.raw(`onchain.${table}`)} b JOIN app.event_memory m ON m.object_id = ${Prisma.raw(`b.${id}`)}
    WHERE b.chain_id = ${reported.chainId} AND ${Prisma.raw(`b.${block}`)} > ${safe}::numeric AND ${scope}`;
  return Prisma.sql`
    (SELECT json_agg(DISTINCT m.claim_id) FROM (
      SELECT m.* FROM app.event_memory m WHERE ${scope} AND (m.block_number > ${safe} OR m.block_number IS NULL)
      UNION ${objects("stock_order", "order_id", "updated_block")}
      UNION ${objects("cash_operation", "op_id", "updated_block")}
      UNION ${objects("stock_operation", "op_id", "block_number")}) m
    WHERE NOT ${isAsReported(rows)} AND NOT EXISTS (
      SELECT 1 FROM app.transaction_claim c ${rows.joins}
      WHERE c.claim_id = m.claim_id AND ${where} AND ${rows.object} IS NOT DISTINCT FROM m.object_id))`;
};

const isOfList = ({ resource, types }: ReportedList): Prisma.Sql => Prisma.sql`
  m.resource = ${resource} ${types ? Prisma.sql`AND m.type = ANY(${types}::text[])` : Prisma.empty}`;

/** Holds where a claim owns the row `m` as the log reported it: then a filter leaves it out, and would have then. */
const isAsReported = ({ joins, owned, object, version }: ReportedRows): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT 1 FROM app.transaction_claim c ${joins} LEFT JOIN LATERAL (${version}) v ON true
    WHERE c.claim_id = m.claim_id AND ${owned} AND ${object} IS NOT DISTINCT FROM m.object_id
      AND v.row_hash IS NOT DISTINCT FROM m.row_hash OFFSET 0)`;

const headSchema = z.object({
  event_sequence: z.coerce.bigint(),
  omitted: z.array(z.string()).nullable(),
});
const unreportedSchema = z.object({ claim_id: z.string(), ordinal: z.number(), unreported: z.boolean() });

/** Rows that this process has entered into app.event_due. A list that is read again before the log is written enters none twice. */
const entered = new LRUCache<string, true>({ max: 10_000 });

/**
 * Enters the rows of an answer that the log has not reported, and those that the answer leaves out although the log has. Where
 * one row of a claim is so, all are entered that the log has reported: a reorg may have given them each other's numbers.
 * @returns where the log was when the list was read
 */
export async function enterUnreported(
  prisma: PrismaClient,
  { chainId, resource }: ReportedList,
  first: unknown,
  shown: readonly Record<string, unknown>[],
): Promise<bigint> {
  const { event_sequence: sequence, omitted } = headSchema.parse(first);
  const unreported = shown.map((row) => unreportedSchema.parse(row)).filter((row) => row.unreported);
  const isNew = (name: (string | number)[]): boolean => !entered.has([...name, resource, sequence].join(" "));
  const rows = unreported.filter(({ claim_id, ordinal }) => isNew([claim_id, ordinal]));
  const leftOut = (omitted ?? []).filter((claimId) => isNew([claimId]));
  if (rows.length === 0 && leftOut.length === 0) return sequence;
  const claimIds = rows.map(({ claim_id }) => claim_id);
  const ordinals = rows.map(({ ordinal }) => ordinal);
  await withDatabaseErrors(
    () => prisma.$executeRaw`
      INSERT INTO app.event_due (chain_id, claim_id, seen, resource, ordinal)
      SELECT ${chainId}, t.claim_id, ${sequence}, ${resource}, t.ordinal
      FROM (
        SELECT * FROM unnest(${claimIds}::uuid[], ${ordinals}::int[]) AS s (claim_id, ordinal)
        UNION SELECT m.claim_id, m.ordinal FROM app.event_memory m
        WHERE m.claim_id = ANY(${[...claimIds, ...leftOut]}::uuid[]) AND m.resource = ${resource}) t`,
  );
  for (const { claim_id, ordinal } of rows)
    entered.set([claim_id, ordinal, resource, sequence].join(" "), true);
  for (const claimId of leftOut) entered.set([claimId, resource, sequence].join(" "), true);
  return sequence;
}
