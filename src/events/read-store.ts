import type pg from "pg";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { headOf } from "../claims/told-store.ts";
import { Prisma } from "../db/generated/client.ts";
import { EVENT_RESOURCES, EVENT_TYPES, type EventType } from "../protocol/enums.ts";
import { storedHex, storedSeconds } from "../protocol/shapes.ts";
import { ceilingOf, floorOf } from "./mark-store.ts";
import { select } from "./writer/changes-store.ts";

/** An event as statements select it, as JSON. */
export const eventSchema = z.object({
  sequence: z.coerce.number(),
  event_id: z.string(),
  type: z.enum(EVENT_TYPES),
  resource: z.enum(EVENT_RESOURCES),
  created_at: storedSeconds,
  block_number: z.coerce.number().nullable(),
  tx_hash: storedHex.nullable(),
  retracts: z.string().nullable(),
  data: z.unknown(),
});
export type EventRow = z.output<typeof eventSchema>;

/** A part of a key's log. */
export interface LogPart {
  rows: EventRow[];
  /** The sequence up to which all events were looked at. */
  end: bigint;
  /** The last event that there is; 0 where there is none. */
  head: bigint;
  /** The event before the first one behind the place: removed, or the place itself where nothing is missing there. */
  removed: bigint;
}

/** What to read of a log. */
export interface LogRange {
  /** Events behind this sequence; null: from the oldest one on. */
  after: bigint | null;
  types?: readonly EventType[] | undefined;
  limit: number;
}

/** Events that one read looks at, where it is asked for some types only. */
const SCANNED_MAX = 10_000;

const partSchema = z.object({
  head: z.coerce.bigint(),
  removed: z.coerce.bigint(),
  end: z.coerce.bigint().nullable(),
  rows: z.array(eventSchema).nullable(),
});

/** Reads a part of a key's log, its bounds with it. */
export async function readLog(
  pool: pg.Pool,
  caller: Pick<Caller, "keyId" | "chainId" | "productType">,
  { after, types, limit }: LogRange,
): Promise<LogPart> {
  const { keyId, chainId, productType } = caller;
  const ofKey = Prisma.sql`
    e.key_id = ${keyId}::uuid AND e.chain_id = ${chainId} AND e.product_type = ${productType}`;
  // A cursor that has expired is refused, so what is read behind it needs no bound above.
  const behind =
    after === null
      ? Prisma.empty
      : Prisma.sql`
        AND e.sequence > ${after} AND e.position >= ${floorOf(caller, after)}
        AND e.position < ${ceilingOf(caller, after + BigInt(types ? SCANNED_MAX : limit))}`;
  // Sequences have no gaps: only where the next one is missing, or none was named, has the first one that there is to be looked up.
  const next = Prisma.sql`(SELECT min(s.sequence) FROM scanned s)`;
  const removed =
    after === null
      ? Prisma.sql`coalesce(${next} - 1, b.head)`
      : Prisma.sql`
        CASE WHEN ${next} = ${after}::bigint + 1 OR ${after}::bigint >= b.head THEN ${after}::bigint
          ELSE coalesce((SELECT e.sequence - 1 FROM app.event e WHERE ${ofKey} AND e.sequence > ${after}
            AND e.position >= ${floorOf(caller, after)} ORDER BY e.sequence LIMIT 1), b.head) END`;
  const wanted = types ? Prisma.sql`s.type = ANY(${types}::text[])` : Prisma.sql`true`;
  const [row] = await select(
    pool,
    Prisma.sql`
      WITH bounds AS MATERIALIZED (
        SELECT ${headOf(caller)}::bigint AS head
      ), scanned AS MATERIALIZED (
        SELECT e.* FROM app.event e WHERE ${ofKey} ${behind} ORDER BY e.sequence LIMIT ${types ? SCANNED_MAX : limit}
      ), found AS MATERIALIZED (
        SELECT s.* FROM scanned s WHERE ${wanted} ORDER BY s.sequence LIMIT ${limit}
      )
      SELECT b.head::text AS head, (${removed})::text AS removed,
        CASE WHEN (SELECT count(*) FROM found) = ${limit} THEN (SELECT max(f.sequence) FROM found f)
          ELSE (SELECT max(s.sequence) FROM scanned s) END::text AS end,
        (SELECT json_agg(json_build_object('sequence', f.sequence, 'event_id', f.event_id, 'type', f.type,
            'resource', f.resource, 'created_at', floor(extract(epoch FROM f.created_at)), 'block_number', f.block_number,
            'tx_hash', f.tx_hash, 'retracts', f.retracts, 'data', f.data) ORDER BY f.sequence) FROM found f) AS rows
      FROM bounds b`,
  );
  const part = partSchema.parse(row);
  return { ...part, rows: part.rows ?? [], end: part.end ?? after ?? part.removed };
}
