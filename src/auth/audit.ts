import type { Prisma, PrismaClient } from "../db/generated/client.ts";

/** An entry of the audit log. `detail` must never hold a secret: the log is for reading. */
export interface AuditEntry {
  /** Operator, as the command knows them. The database adds its login. */
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

/** Filter of audit entries. */
export interface AuditFilter {
  actor?: string | undefined;
  login?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  /** At or after this time. */
  since?: Date | undefined;
  /** Before this time. */
  before?: Date | undefined;
}

/** Position of an entry in the log. `auditId` alone gives no order: a long transaction commits after a later one. */
export type AuditPosition = Pick<AuditRow, "createdAt" | "auditId">;

const SHOWN = {
  auditId: true,
  actor: true,
  login: true,
  requestedBy: true,
  action: true,
  subject: true,
  detail: true,
  createdAt: true,
} as const satisfies Prisma.AuditEntrySelect;

export type AuditRow = Prisma.AuditEntryGetPayload<{ select: typeof SHOWN }>;

/**
 * Reads the audit log, newest first.
 * @param after reads only entries behind this position
 */
export function readAudit(
  prisma: PrismaClient,
  filter: AuditFilter,
  { limit, after }: { limit: number; after?: AuditPosition | null },
): Promise<AuditRow[]> {
  return prisma.auditEntry.findMany({
    select: SHOWN,
    where: { AND: [whereOf(filter), after ? isBehind(after) : {}] },
    orderBy: [{ createdAt: "desc" }, { auditId: "desc" }],
    take: limit,
  });
}

export const countAudit = (prisma: PrismaClient, filter: AuditFilter): Promise<number> =>
  prisma.auditEntry.count({ where: whereOf(filter) });

/** A value that is undefined is no condition to Prisma. */
function whereOf({ actor, login, action, subject, since, before }: AuditFilter): Prisma.AuditEntryWhereInput {
  return { actor, login, action, subject, createdAt: { gte: since, lt: before } };
}

const isBehind = ({ createdAt, auditId }: AuditPosition): Prisma.AuditEntryWhereInput => ({
  // The first condition is implied by the others, and lets PostgreSQL begin there in its index.
  createdAt: { lte: createdAt },
  OR: [{ createdAt: { lt: createdAt } }, { auditId: { lt: auditId } }],
});
