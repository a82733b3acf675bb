import type { AuditEntry } from "../../../src/auth/audit.ts";
import { execute } from "../../../src/db/query.ts";
import { sql } from "../../../src/db/sql.ts";
import type { Tx } from "../../../src/db/transaction.ts";

/** Writes an audit entry as writeAudit does, within a transaction of `pg`. */
export async function insertAudit(tx: Tx, { actor, action, subject, detail }: AuditEntry): Promise<void> {
  await execute(
    tx,
    sql`INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES (${actor}, ${action}, ${subject}, ${detail})`,
  );
}
