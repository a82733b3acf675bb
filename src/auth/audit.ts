import type { Prisma } from "../db/generated/client.ts";

/** An entry of the audit log. `detail` must never hold a secret: the log is for reading. */
export interface AuditEntry {
  actor: string;
  action: string;
  subject: string;
  detail: object;
}

/** Writes to the audit log what an operator did, within the transaction that does it. */
export async function writeAudit(tx: Prisma.TransactionClient, entry: AuditEntry): Promise<void> {
  const { actor, action, subject } = entry;
  const detail: Prisma.InputJsonObject = JSON.parse(JSON.stringify(entry.detail));
  await tx.auditEntry.create({ data: { actor, action, subject, detail }, select: { auditId: true } });
}
