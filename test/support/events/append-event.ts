import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { CHANNELS } from "../../../src/db/notifications.ts";
import { execute, queryMaybeOne, queryOne } from "../../../src/db/query.ts";
import { empty, type Sql, sql } from "../../../src/db/sql.ts";
import { logLock } from "../../../src/events/writer/chain-store.ts";
import type { Draft } from "../../../src/events/writer/compare.ts";

/** An event that no step of the projector writes. */
export interface OwnEvent extends Pick<Draft, "keyId" | "productType" | "type" | "resource"> {
  chainId: number;
  /** The object as the API answers it. */
  data: object;
}

const placedSchema = z.object({ eventId: z.string(), sequence: z.coerce.bigint() });
type Placed = z.output<typeof placedSchema>;

/**
 * Appends one event to the log of a key, within the caller's transaction: it is in the log where that is committed. Locks the log
 * of the chain until then, so it belongs at the end of a transaction.
 */
export async function appendEvent(client: pg.PoolClient, event: OwnEvent): Promise<Placed> {
  const placed = await queryMaybeOne(client, appendLocked(event, sql`WHERE l.chains > 0`), placedSchema);
  if (placed) return placed;
  // The chain has no row to lock. A statement of its own: the next one then sees the row where it was made meanwhile.
  await execute(client, sql`SELECT ${logLock(event.chainId)}::text`);
  return queryOne(client, appendLocked(event, empty), placedSchema);
}

/** Appends behind the lock of the chain's row. @param where a condition on `l.chains`, the number of rows that were locked */
const appendLocked = (
  { keyId, chainId, productType, type, resource, data }: OwnEvent,
  where: Sql,
): Sql => sql`
  WITH locked AS MATERIALIZED (
    SELECT count(*) AS chains FROM (SELECT 1 FROM app.event_chain WHERE chain_id = ${chainId} FOR UPDATE) c
  ), head AS (
    INSERT INTO app.event_head AS h (key_id, chain_id, product_type, sequence, version)
    SELECT ${keyId}::uuid, ${chainId}::int, ${productType}, 1, (random() * 9e15)::bigint + 1 FROM locked l ${where}
    ON CONFLICT (key_id, chain_id, product_type) DO UPDATE SET sequence = h.sequence + 1, version = excluded.version
    RETURNING h.key_id, h.chain_id, h.product_type, h.sequence
  ), appended AS (
    INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, data)
    SELECT h.key_id, h.chain_id, h.product_type, h.sequence, ${randomUUID()}::uuid, ${type}, ${resource}, ${JSON.stringify(data)}::json FROM head h
    RETURNING event_id, sequence
  )
  SELECT a.event_id::text AS event_id, a.sequence::text AS sequence,
    pg_notify(${CHANNELS.events}, ${String(chainId)})::text FROM appended a`;
