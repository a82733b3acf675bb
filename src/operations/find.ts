import type { Hex } from "viem";
import type { Viewer } from "../auth/viewer.ts";
import { LISTED_COLUMNS } from "../claims/list-row.ts";
import { requireShown, type Shown, STATE_COLUMNS, shownTo } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { OperationKind } from "./kinds.ts";
import { operationOfRow, type PresentedOperation } from "./shown.ts";

/** Finds an operation of a kind among what a viewer sees; null where there is none. @throws ApiError INDEXER_BEHIND, DATABASE_UNAVAILABLE */
export async function findOperation(
  { prisma, pool }: Pick<Deps, "prisma" | "pool">,
  viewer: Viewer,
  kind: OperationKind,
  operationId: Hex,
): Promise<Shown<PresentedOperation> | null> {
  const { keyId, chainId, productType } = viewer;
  const where = { chainId, operationId, productType, kind, ...(keyId === null ? {} : { keyId }) };
  const [row] = await withDatabaseErrors(() =>
    prisma.shownOperation.findMany({ where, select: { ...LISTED_COLUMNS, ...STATE_COLUMNS }, take: 1 }),
  );
  if (row) return shownTo(viewer, row, operationOfRow(kind, row));
  await requireShown(pool, chainId);
  return null;
}
