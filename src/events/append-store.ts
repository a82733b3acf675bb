import { z } from "zod";
import { CHANNELS } from "../db/notifications.ts";
import { execute, queryMaybeOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import type { Tx } from "../db/transaction.ts";
import type { EventResource, EventType } from "../protocol/enums.ts";
import { logLock } from "./writer/chain-store.ts";

/** An event of a key that no block brings about. It is in the log of each chain and product of the key, or of one product. */
export interface KeyEvent {
  keyId: string;
  /** Left out: all products. */
  productType?: string;
  type: EventType;
  resource: EventResource;
  /** Deliveries of one object keep their order. */
  object: string;
  /** The object as the API answers it. */
  data: object;
}

const lockedSchema = z.object({ chainId: z.number() });

/**
 * Appends events to the logs of their keys, within the caller's transaction: they are there where that is committed. Locks the log of each
 * chain until then, in one order, so it belongs at the end of a transaction.
 * @param chainIds the chains in whose logs the events are to be
 */
export async function appendToKeys(
  tx: Tx,
  chainIds: readonly number[],
  events: readonly KeyEvent[],
): Promise<void> {
  if (events.length === 0) return;
  for (const chainId of chainIds.toSorted((a, b) => a - b)) {
    await lockLog(tx, chainId);
    await execute(tx, appendTo(chainId, events));
  }
}

async function lockLog(tx: Tx, chainId: number): Promise<void> {
  const row = sql`SELECT c.chain_id FROM app.event_chain c WHERE c.chain_id = ${chainId} FOR UPDATE`;
  if (await queryMaybeOne(tx, row, lockedSchema)) return;
  // The chain has no row to lock. Where it was made meanwhile, it is seen behind this lock.
  await execute(tx, sql`SELECT ${logLock(chainId)}::text`);
  await queryMaybeOne(tx, row, lockedSchema);
}

const appendTo = (chainId: number, events: readonly KeyEvent[]) => sql`
  WITH said AS MATERIALIZED (
    SELECT e.*, s.product_type, row_number() OVER w AS n, count(*) OVER (PARTITION BY e."keyId", s.product_type) AS of_key
    FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      AS ("keyId" uuid, "productType" text, type text, resource text, object text, data json)) WITH ORDINALITY
      AS e ("keyId", "productType", type, resource, object, data, ordinal)
    JOIN app.api_key_scope s ON s.key_id = e."keyId" AND s.chain_id = ${chainId}
      AND s.product_type = coalesce(e."productType", s.product_type)
    WINDOW w AS (PARTITION BY e."keyId", s.product_type ORDER BY e.ordinal)
  ), head AS (
    INSERT INTO app.event_head AS h (key_id, chain_id, product_type, sequence)
    SELECT DISTINCT s."keyId", ${chainId}::int, s.product_type, s.of_key FROM said s
    ON CONFLICT (key_id, chain_id, product_type) DO UPDATE SET sequence = h.sequence + excluded.sequence
    RETURNING h.key_id, h.product_type, h.sequence
  ), appended AS (
    INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, object, data)
    SELECT s."keyId", ${chainId}::int, s.product_type, h.sequence - s.of_key + s.n, gen_random_uuid(), s.type, s.resource, s.object, s.data
    FROM said s JOIN head h ON h.key_id = s."keyId" AND h.product_type = s.product_type
    ORDER BY s.ordinal RETURNING 1
  )
  SELECT pg_notify(${CHANNELS.events}, ${String(chainId)})::text FROM (SELECT count(*) AS appended FROM appended) a WHERE a.appended > 0`;
