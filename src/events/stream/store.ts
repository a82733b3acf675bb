import type pg from "pg";
import { z } from "zod";
import { headOf } from "../../claims/log-head.ts";
import { Prisma } from "../../db/generated/client.ts";
import type { LogName } from "../../input/event-cursor.ts";
import { EVENT_TYPES } from "../../protocol/enums.ts";
import { ceilingOf, floorOf } from "../mark-store.ts";
import { select } from "../writer/changes-store.ts";

/** Reads what streams of events send. */

const eventSchema = z
  .object({
    position: z.coerce.number(),
    key_id: z.string(),
    chain_id: z.number(),
    product_type: z.string(),
    sequence: z.coerce.number(),
    event_id: z.string(),
    type: z.enum(EVENT_TYPES),
    resource: z.string(),
    created_at: z.coerce.number(),
    block_number: z.coerce.number().nullable(),
    tx_hash: z.string().nullable(),
    retracts: z.string().nullable(),
    data: z.string(),
  })
  .transform((row) => ({
    /** Counts the commits of all keys of the chain; 0 for events of before there was one. */
    position: row.position,
    keyId: row.key_id,
    chainId: row.chain_id,
    productType: row.product_type,
    sequence: row.sequence,
    type: row.type,
    txHash: row.tx_hash,
    json: jsonOf(row),
  }));

/** An event as it was appended. */
export type AppendedEvent = z.output<typeof eventSchema>;

interface EventColumns {
  event_id: string;
  sequence: number;
  type: string;
  resource: string;
  created_at: number;
  block_number: number | null;
  tx_hash: string | null;
  retracts: string | null;
  data: string;
}

/**
 * Returns an event as GET /events answers it, as JSON on one line. The object in it is JSON already, so it is not parsed to be
 * written again.
 */
function jsonOf(row: EventColumns): string {
  const { event_id, sequence, type, resource, created_at, block_number, tx_hash, retracts, data } = row;
  const head = JSON.stringify({
    ...{ eventId: event_id, sequence, type, resource, createdAt: created_at, blockNumber: block_number },
    ...{ txHash: tx_hash, retracts },
  });
  return `${head.slice(0, -1)},"data":${oneLine(data)}}`;
}

const oneLine = (json: string): string => (/[\r\n]/.test(json) ? JSON.stringify(JSON.parse(json)) : json);

const columnsOf = (alias: "e" | "s"): Prisma.Sql => {
  const column = (name: string) => Prisma.raw(`${alias}.${name}`);
  return Prisma.sql`greatest(${column("position")}, 0)::text AS position, ${column("key_id")}::text AS key_id,
    ${column("chain_id")}, ${column("product_type")}, ${column("sequence")}::text AS sequence, ${column("event_id")}::text AS event_id,
    ${column("type")}, ${column("resource")}, floor(extract(epoch FROM ${column("created_at")}))::text AS created_at,
    ${column("block_number")}::text AS block_number, ${column("tx_hash")}, ${column("retracts")}::text AS retracts`;
};

const positionSchema = z.object({ position: z.coerce.number() });

/** Returns the position of the last event of a chain; 0 where there is none. */
export async function readPosition(pool: pg.Pool, chainId: number): Promise<number> {
  const [row] = await select(
    pool,
    Prisma.sql`
      SELECT coalesce((SELECT e.position FROM app.event e WHERE e.chain_id = ${chainId} AND e.position > 0
        ORDER BY e.position DESC LIMIT 1), 0)::text AS position`,
  );
  return positionSchema.parse(row).position;
}

/** A part of what was appended to a chain's logs. */
export interface Appended {
  /** Those of the keys that were asked for. */
  events: AppendedEvent[];
  /** Everything up to here was looked at. */
  position: number;
  complete: boolean;
}

/**
 * Reads what was appended behind a position, in the order of commits: every writer holds the lock of the chain's log, so no
 * event appears behind one that was read.
 * @param keyIds keys whose events are read; null: all keys
 */
export async function readAppended(
  pool: pg.Pool,
  {
    chainId,
    position,
    keyIds,
    limit,
  }: { chainId: number; position: number; keyIds: readonly string[] | null; limit: number },
): Promise<Appended> {
  const wanted = Prisma.sql`(${keyIds === null} OR s.key_id = ANY(${keyIds ?? []}::uuid[]))`;
  const rows = await select(
    pool,
    Prisma.sql`
      SELECT ${columnsOf("s")}, CASE WHEN ${wanted} THEN s.data::text END AS data
      FROM (SELECT * FROM app.event e WHERE e.chain_id = ${chainId} AND e.position > ${position}::bigint
        ORDER BY e.position LIMIT ${limit} OFFSET 0) s
      ORDER BY s.position`,
  );
  return {
    events: rows.filter(({ data }) => data !== null).map((row) => eventSchema.parse(row)),
    position: rows.length > 0 ? positionSchema.parse(rows.at(-1)).position : position,
    complete: rows.length < limit,
  };
}

/** Reads the next events of one log, at most `limit`. */
export async function readLogPage(
  pool: pg.Pool,
  { keyId, chainId, productType }: LogName,
  { after, limit }: { after: number; limit: number },
): Promise<AppendedEvent[]> {
  const rows = await select(
    pool,
    Prisma.sql`
      SELECT ${columnsOf("e")}, e.data::text AS data FROM app.event e
      WHERE e.key_id = ${keyId}::uuid AND e.chain_id = ${chainId} AND e.product_type = ${productType}
        AND e.sequence > ${after}::bigint AND e.position >= ${floorOf({ keyId, chainId, productType }, after)}
      ORDER BY e.sequence LIMIT ${limit}`,
  );
  return rows.map((row) => eventSchema.parse(row));
}

const boundsSchema = z.object({ head: z.coerce.bigint(), removed: z.coerce.bigint() });

/**
 * Returns the sequence of a log's last event, 0 where there is none, and the one before the first that there is behind a place: the
 * place itself where nothing is missing. Sequences have no gaps, so that is looked up only where the one behind the place is missing.
 */
export async function readLogBounds(
  pool: pg.Pool,
  log: LogName,
  place: bigint | null,
): Promise<{ head: bigint; removed: bigint }> {
  const { keyId, chainId, productType } = log;
  const ofKey = Prisma.sql`
    e.key_id = ${keyId}::uuid AND e.chain_id = ${chainId} AND e.product_type = ${productType}`;
  const after = place ?? 0n;
  const [row] = await select(
    pool,
    Prisma.sql`
      SELECT h.head::text AS head, CASE
        WHEN ${place === null} OR ${after}::bigint >= h.head OR EXISTS (SELECT 1 FROM app.event e
          WHERE ${ofKey} AND e.sequence = ${after + 1n} AND e.position >= ${floorOf(log, after)}
            AND e.position < ${ceilingOf(log, after + 1n)}) THEN ${after}::bigint
        ELSE coalesce((SELECT e.sequence - 1 FROM app.event e WHERE ${ofKey} AND e.sequence > ${after}
          AND e.position >= ${floorOf(log, after)} ORDER BY e.sequence LIMIT 1), h.head) END::text
          AS removed
      FROM (SELECT ${headOf(log)}::bigint AS head) h`,
  );
  return boundsSchema.parse(row);
}

const edgesSchema = z.object({ last: z.coerce.number(), first: z.coerce.number(), has_place: z.boolean() });

/**
 * Returns the positions of a chain's first and last event, 0 where there is none, and whether the event at a place is there.
 * Positions have gaps: a transaction that was rolled back took some.
 */
export async function readChainEdges(
  pool: pg.Pool,
  chainId: number,
  place: number,
): Promise<{ first: number; last: number; hasPlace: boolean }> {
  const edge = (order: "ASC" | "DESC") => Prisma.sql`
    coalesce((SELECT e.position FROM app.event e WHERE e.chain_id = ${chainId} AND e.position > 0
      ORDER BY e.position ${Prisma.raw(order)} LIMIT 1), 0)::text`;
  const [row] = await select(
    pool,
    Prisma.sql`
      SELECT ${edge("ASC")} AS first, ${edge("DESC")} AS last,
        EXISTS (SELECT 1 FROM app.event e WHERE e.chain_id = ${chainId} AND e.position = ${place}::bigint) AS has_place`,
  );
  const { first, last, has_place: hasPlace } = edgesSchema.parse(row);
  return { first, last, hasPlace };
}
