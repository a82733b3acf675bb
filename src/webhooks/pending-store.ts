import type pg from "pg";
import { z } from "zod";
import { execute, queryRows } from "../db/query.ts";
import { type Sql, sql } from "../db/sql.ts";
import { inTransaction } from "../db/transaction.ts";

/**
 * Bounds searches for pending deliveries by the partitions of app.webhook_delivery (docs/operations/partitions.md). No pending
 * delivery of a webhook has a position below its `pending_from`. Whatever makes a delivery pending locks the webhook: new ones are behind all
 * others, and a revived one lowers the bound (revive).
 */

/** Slack of a bound: a day of positions, so that it does not move at each run. */
const SLACK = 10_000_000_000n;

/** Returns the position below which no delivery of a webhook is pending, as a scalar subquery. */
export const pendingFrom = (webhookId: string): Sql => sql`
  (SELECT b.pending_from FROM app.webhook b WHERE b.webhook_id = ${webhookId}::uuid)`;

/**
 * Returns where pending deliveries of the webhook `w` begin, looking into all partitions, as a scalar subquery. Where nothing is
 * pending, they begin behind the last position that was given out. That is stable only while the webhook is locked.
 */
const SEARCHED = sql`
  coalesce((SELECT min(d.position) FROM app.webhook_delivery d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending'),
    (SELECT s.last_value FROM app.webhook_delivery_position_seq s))`;

const idSchema = z.object({ webhookId: z.string() });

/**
 * Sets the bound of each webhook whose bound is far behind, or above a pending delivery: a program of a version without bounds
 * may have revived it.
 * @returns how many were set
 */
export async function boundPending(pool: pg.Pool): Promise<number> {
  const found = await queryRows(
    pool,
    sql`
      SELECT w.webhook_id::text AS webhook_id
      FROM app.webhook w CROSS JOIN LATERAL (SELECT ${SEARCHED} AS pending_from OFFSET 0) p
      WHERE w.deleted_at IS NULL AND w.pending_from NOT BETWEEN p.pending_from - ${SLACK}::bigint AND p.pending_from`,
    idSchema,
  );
  for (const { webhookId } of found) await setBound(pool, webhookId);
  return found.length;
}

/** Locks a webhook, and sets its bound by what is pending then. */
async function setBound(pool: pg.Pool, webhookId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await execute(
      client,
      sql`SELECT 1 AS locked FROM app.webhook w WHERE w.webhook_id = ${webhookId}::uuid FOR UPDATE`,
    );
    // A statement of its own: it sees what was committed before the lock was granted.
    await execute(
      client,
      sql`
        UPDATE app.webhook w SET pending_from = ${SEARCHED} WHERE w.webhook_id = ${webhookId}::uuid`,
    );
  });
}
