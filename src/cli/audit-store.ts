import type { AuditEntry } from "../auth/audit.ts";
import type { Tx } from "../db/transaction.ts";

/** Does what writeAudit does, within a transaction of `pg`. */
export async function insertAudit(tx: Tx, { actor, action, subject, detail }: AuditEntry): Promise<void> {
  await tx.query("INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES ($1, $2, $3, $4)", [
    actor,
    action,
    subject,
    detail,
  ]);
}
