import type pg from "pg";

/** Partitions of weeks that are over, as if a worker had made and entered them then. The database's clock cannot be set back. */

/** Positions of a week. */
export interface PastWeek {
  first: bigint;
  /** Day that its partitions are named by. */
  day: string;
}

const LOCAL_KEYS = {
  event: 'PRIMARY KEY ("key_id", "chain_id", "product_type", "sequence")',
  webhook_delivery: 'UNIQUE ("webhook_id", "sequence")',
};

const WEEK_MS = 7 * 86_400_000;

/** Makes the partitions of a week, and enters them. Weeks are entered oldest first. */
export async function enterPastWeek(pool: pg.Pool, weeksAgo: number): Promise<PastWeek> {
  const { rows } = await pool.query<{ first: string; day: string }>(
    `SELECT f.first::text, to_char(timestamp '1970-01-01' + make_interval(days => (f.first / 10000000000)::int), 'YYYYMMDD') AS day
     FROM (SELECT app.week_position(now() - make_interval(weeks => $1)) AS first) f`,
    [weeksAgo],
  );
  const { first = "", day = "" } = rows[0] ?? {};
  for (const [parent, keys] of Object.entries(LOCAL_KEYS)) {
    const name = `app.${parent}_p${day}`;
    await pool.query(`
      CREATE TABLE ${name} (LIKE app.${parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
      ALTER TABLE ${name} ADD ${keys};
      ALTER TABLE app.${parent} ATTACH PARTITION ${name} FOR VALUES FROM (${first}) TO (${BigInt(first) + 70_000_000_000n})`);
  }
  await pool.query(`
    INSERT INTO app.event_mark (key_id, chain_id, product_type, position, sequence)
    SELECT h.key_id, h.chain_id, h.product_type, ${first}, h.sequence FROM app.event_head h;
    SELECT setval('app.event_position_seq', ${first}), setval('app.webhook_delivery_position_seq', ${first})`);
  return { first: BigInt(first), day };
}

/** Sets the times of a week's events and deliveries to that week. */
export async function agePastWeek(pool: pg.Pool, { first }: PastWeek, weeksAgo: number): Promise<void> {
  const at = new Date(Date.now() - weeksAgo * WEEK_MS);
  for (const [table, column] of [
    ["event", "created_at"],
    ["webhook_delivery", "event_at"],
  ])
    await pool.query(
      `UPDATE app.${table} SET ${column} = $1 WHERE position >= $2::bigint AND position < $2::bigint + 70000000000`,
      [at, first],
    );
}
