import type pg from "pg";

/**
 * Makes time pass for the successor of a worker that was killed: what it had a lease of, wallets, the changes of chains and
 * deliveries under way, is free now.
 */
export async function expireLeases(pool: pg.Pool): Promise<void> {
  for (const table of ["delegatee_wallet", "change_reader"])
    await pool.query(
      `UPDATE app.${table} SET lease_until = now() - interval '1 second' WHERE lease_until > now()`,
    );
  await pool.query(
    "UPDATE app.webhook_delivery SET next_at = now() WHERE lease IS NOT NULL AND next_at > now()",
  );
}
