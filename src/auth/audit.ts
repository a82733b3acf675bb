import type pg from "pg";

/**
 * Writes to the audit log what an operator did, within the transaction that does it. `detail` must never hold a secret:
 * the log is for reading.
 */
export async function writeAudit(
  client: pg.PoolClient,
  actor: string,
  action: string,
  subject: string,
  detail: object,
): Promise<void> {
  await client.query("INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES ($1, $2, $3, $4)", [
    actor,
    action,
    subject,
    JSON.stringify(detail),
  ]);
}
