import { z } from "zod";
import { type AuditRow, countAudit, readAudit } from "../auth/audit.ts";
import type { Deps } from "../context/deps.ts";
import { openCursor, sealCursor } from "../context/input/list.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { sliceOf, toConnection } from "./connection.ts";
import { parseAudit } from "./input.ts";

const NAME = { list: "dashboard audit", chainId: null, productType: null };
const positionSchema = z
  .tuple([z.int().min(0).max(8.64e15), z.string().regex(/^\d{1,18}$/)])
  .transform(([createdMs, auditId]) => ({ createdAt: new Date(createdMs), auditId: BigInt(auditId) }));

/** GraphQL `Dashboard.auditEntries`, newest first. @throws ApiError VALIDATION_FAILED */
export async function listAudit({ prisma }: Deps, args: Record<string, unknown>) {
  const { first, from, to, ...input } = parseAudit(args);
  const filter = {
    ...input,
    since: from === undefined ? undefined : new Date(from * 1000),
    before: to === undefined ? undefined : new Date((to + 1) * 1000),
  };
  const after = input.after === undefined ? null : openCursor(NAME, input.after, "after", positionSchema);
  const rows = await withDatabaseErrors(() => readAudit(prisma, filter, { limit: first + 1, after }));
  const cursorOf = ({ createdAt, auditId }: AuditRow) =>
    sealCursor(NAME, [createdAt.getTime(), auditId.toString()]);
  const slice = sliceOf(rows, first, cursorOf, present);
  return toConnection(slice, input, () => withDatabaseErrors(() => countAudit(prisma, filter)));
}

const present = ({ auditId, createdAt, ...row }: AuditRow) => ({
  ...row,
  auditId: auditId.toString(),
  createdAt: Math.floor(createdAt.getTime() / 1000),
});
