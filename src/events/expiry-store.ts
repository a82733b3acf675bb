import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import { inTransaction } from "../db/transaction.ts";
import { appendToKeys, type KeyEvent } from "./append-store.ts";

/** Days before its end at which a key's logs report it, each once. */
const REPORTED_DAYS = [14, 3, 1];

const dueSchema = z.object({
  keyId: z.string(),
  apiKey: z.string(),
  expiresAt: z.date(),
  days: z.number(),
});

/**
 * Reports the keys that end soon as events `key.expiring` (docs/events.md). The worker calls it every minute; any number of workers may: a
 * report is entered and appended in one transaction. What was missed is not made up for: a key that ends in two days is reported for three.
 * @returns the number of reports
 */
export async function reportExpiringKeys(pool: pg.Pool, chainIds: readonly number[]): Promise<number> {
  return inTransaction(pool, async (tx) => {
    const due = await queryRows(
      tx,
      sql`
        WITH reported AS (
          INSERT INTO app.key_expiry_report AS r (key_id, expires_at, days)
          SELECT k.key_id, k.expires_at, min(d.days) FROM app.api_key k
          JOIN unnest(${REPORTED_DAYS}::int[]) AS d (days) ON k.expires_at <= now() + make_interval(days => d.days)
          WHERE k.active AND k.expires_at > now()
          GROUP BY k.key_id
          ORDER BY k.key_id
          ON CONFLICT DO NOTHING RETURNING r.key_id, r.expires_at, r.days
        )
        SELECT r.key_id::text AS key_id, k.api_key, r.expires_at, r.days FROM reported r JOIN app.api_key k ON k.key_id = r.key_id`,
      dueSchema,
    );
    await appendToKeys(tx, chainIds, due.map(eventOf));
    return due.length;
  });
}

function eventOf({ keyId, apiKey, expiresAt, days }: z.output<typeof dueSchema>): KeyEvent {
  const data = { apiKey, expiresAt: Math.floor(expiresAt.getTime() / 1000), withinDays: days };
  return { keyId, type: "key.expiring", resource: "key", object: "key", data };
}
