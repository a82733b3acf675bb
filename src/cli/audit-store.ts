import type { AuditEntry } from "../auth/audit.ts";
import { execute } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import type { Tx } from "../db/transaction.ts";

/** Writes an audit entry as writeAudit does, within a transaction of `pg`. */
export async function insertAudit(tx: Tx, { actor, action, subject, detail }: AuditEntry): Promise<void> {
  await execute(
    tx,
    sql`INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES (${actor}, ${action}, ${subject}, ${detail})`,
  );
}
