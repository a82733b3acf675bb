import type { Viewer } from "../auth/viewer.ts";
import type { Shown } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import { ApiError } from "../protocol/errors.ts";
import { findOperation } from "./find.ts";
import type { OperationIdInput } from "./input.ts";
import type { OperationKind } from "./kinds.ts";
import type { PresentedOperation } from "./shown.ts";

/**
 * GET /{cash,stock}/{deposits,withdrawals}/{operationId}.
 * @throws ApiError OPERATION_NOT_FOUND (also where another key owns it), INDEXER_BEHIND
 */
export async function getOperation(
  deps: Deps,
  viewer: Viewer,
  kind: OperationKind,
  { operationId }: OperationIdInput,
): Promise<Shown<PresentedOperation>> {
  const found = await findOperation(deps, viewer, kind, operationId);
  if (!found) throw new ApiError("OPERATION_NOT_FOUND");
  return found;
}
