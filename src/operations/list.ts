import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import type { OperationKind } from "../protocol/operations.ts";
import type { OperationListInput } from "./input.ts";
import { readOperations } from "./list-store.ts";

/**
 * GET /{cash,stock}/{deposits,withdrawals} (docs/api.md#lists).
 * @throws ApiError VALIDATION_FAILED (cursor), INDEXER_BEHIND
 */
export const listOperations = (
  deps: Deps,
  viewer: Viewer,
  kind: OperationKind,
  input: OperationListInput,
): ReturnType<typeof readOperations> => readOperations(deps, viewer, kind, input);
