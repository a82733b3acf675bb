import type pg from "pg";
import { z } from "zod";
import { Prisma } from "../db/generated/client.ts";
import { inTransaction } from "../db/transaction.ts";
import { select } from "../events/writer/changes-store.ts";

/**
 * Bounds searches for pending deliveries by the partitions of app.webhook_delivery (docs/operations/partitions.md). No pending
 * delivery of a webhook has a position below its `pending_from`. Whatever makes a delivery pending locks the webhook: new ones are behind all
 * others, and a revived one lowers the bound (revive).
 */

/** How far a bound may be behind: a day of positions. So it moves once a week, and not at each run. */
const SLACK = 10_000_000_000n;

/** Returns the position below which no delivery of a webhook is pending, as a scalar subquery. */
export const pendingFrom = (webhookId: string): Prisma.Sql => Prisma.sql`
  (SELECT b.pending_from FROM app.webhook b WHERE b.webhook_id = ${webhookId}::uuid)`;

/**
 * Returns where pending deliveries of the webhook `w` begin, looking into all partitions, as a scalar subquery. Where nothing is
 * pending, they begin behind the last position that was given out. That is stable only while the webhook is locked.
 */
const SEARCHED = Prisma.sql`
  coalesce((SELECT min(d.position) FROM app.webhook_delivery d WHERE d.webhook_id = w.webhook_id AND d.state = 'pending'),
    (SELECT s.last_value FROM app.webhook_delivery_position_seq s))`;

const idSchema = z.object({ webhook_id: z.string() });

/**
 * Sets the bound of each webhook whose bound is far behind, or above a pending delivery: a program of a version without bounds
 * may have revived it.
 * @returns how many were set
 */
export async function boundPending(pool: pg.Pool): Promise<number> {
  const found = await select(
    pool,
    Prisma.sql`
      SELECT w.webhook_id::text AS webhook_id
      FROM app.webhook w CROSS JOIN LATERAL (SELECT ${SEARCHED} AS pending_from OFFSET 0) p
      WHERE w.deleted_at IS NULL AND w.pending_from NOT BETWEEN p.pending_from - ${SLACK}::bigint AND p.pending_from`,
  );
  const ids = found.map((row) => idSchema.parse(row).webhook_id);
  for (const webhookId of ids) await setBound(pool, webhookId);
  return ids.length;
}

/** Locks a webhook, and sets its bound by what is pending then. */
async function setBound(pool: pg.Pool, webhookId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await select(
      client,
      Prisma.sql`SELECT 1 AS locked FROM app.webhook w WHERE w.webhook_id = ${webhookId}::uuid FOR UPDATE`,
    );
    // A statement of its own: it sees what was committed before the lock was granted.
    await select(
      client,
      Prisma.sql`
        UPDATE app.webhook w SET pending_from = ${SEARCHED} WHERE w.webhook_id = ${webhookId}::uuid`,
    );
  });
}
