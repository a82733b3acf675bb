import type { Viewer } from "../auth/viewer.ts";
import { LISTED_COLUMNS } from "../claims/list-row.ts";
import { requireShown, type Shown, STATE_COLUMNS, shownTo } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import type { OperationDetail } from "../context/schema-types.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { ApiError } from "../protocol/errors.ts";
import type { OperationKind } from "../protocol/operations.ts";
import type { OperationIdInput } from "./input.ts";
import { operationOfRow } from "./present.ts";

/**
 * GET /{cash,stock}/{deposits,withdrawals}/{operationId}: one among what a viewer sees.
 * @throws ApiError OPERATION_NOT_FOUND (also where another key owns it), INDEXER_BEHIND, DATABASE_UNAVAILABLE
 */
export async function getOperation(
  { prisma, pool }: Pick<Deps, "prisma" | "pool">,
  viewer: Viewer,
  kind: OperationKind,
  { operationId }: OperationIdInput,
): Promise<Shown<OperationDetail>> {
  const { keyId, chainId, productType } = viewer;
  const where = { chainId, operationId, productType, kind, ...(keyId === null ? {} : { keyId }) };
  const [row] = await withDatabaseErrors(() =>
    prisma.shownOperation.findMany({ where, select: { ...LISTED_COLUMNS, ...STATE_COLUMNS }, take: 1 }),
  );
  if (row) return shownTo(viewer, row, operationOfRow(kind, row));
  await requireShown(pool, chainId);
  throw new ApiError("OPERATION_NOT_FOUND");
}
