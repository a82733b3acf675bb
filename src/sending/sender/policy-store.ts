import { z } from "zod";
import { execute, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { storedAmount } from "../../protocol/shapes.ts";

const spentSchema = z.object({ keyId: z.string(), spent: storedAmount });

/**
 * Locks the totals that keys have signed on this UTC day until the transaction ends, and returns them in mUSD wad by key. The
 * first request of a day starts its total at the sum signed by then; a trigger adds the later ones (app.count_signed).
 */
export async function lockSignedToday(tx: Tx, keyIds: readonly string[]): Promise<Map<string, bigint>> {
  if (keyIds.length === 0) return new Map();
  // Keys one after the other, in a fixed order, so that transactions of two wallets cannot deadlock.
  await execute(
    tx,
    sql`
      SELECT pg_advisory_xact_lock(hashtextextended('signed ' || key.key_id, 0))
      FROM (SELECT * FROM unnest(${keyIds}::uuid[]) AS k (key_id) ORDER BY key_id) key`,
  );
  // A request may wait for its nonce over midnight, and hardly longer than a day. Requests that were signed while their key had
  // no cap, or re-created after a restore, count with the api's value. A reverted order and a filled nonce no longer count once
  // they are final.
  const statement = sql`
    WITH key AS (SELECT * FROM unnest(${keyIds}::uuid[]) AS k (key_id)),
    today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day, date_trunc('day', now(), 'UTC') AS begins),
    begun AS (
      INSERT INTO app.signed_total AS t (key_id, day, total)
      SELECT key.key_id, today.day, (
        SELECT coalesce(sum(coalesce(r.signed_notional, r.notional)), 0) FROM app.send_request r
        WHERE r.key_id = key.key_id AND r.accepted_at >= today.begins - interval '2 days' AND r.signed_at >= today.begins)
      FROM key, today WHERE NOT EXISTS (SELECT FROM app.signed_total c WHERE c.key_id = key.key_id AND c.day >= today.day)
      ON CONFLICT (key_id) DO UPDATE SET day = excluded.day, total = excluded.total
      RETURNING t.key_id, t.total
    )
    SELECT key.key_id, (coalesce(begun.total, counted.total) - (
      SELECT coalesce(sum(coalesce(r.signed_notional, r.notional)), 0) FROM app.send_request r
      WHERE r.key_id = key.key_id AND r.accepted_at >= today.begins - interval '2 days' AND r.signed_at >= today.begins
        AND r.notional IS NOT NULL AND (r.outcome = 'reverted' OR (r.state IN ('failed', 'canceled') AND r.mined_filler))
    ))::text AS spent
    FROM key CROSS JOIN today LEFT JOIN begun USING (key_id) LEFT JOIN app.signed_total counted USING (key_id)`;
  const rows = await queryRows(tx, statement, spentSchema);
  return new Map(rows.map(({ keyId, spent }) => [keyId, spent]));
}
