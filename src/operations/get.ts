import type { Viewer } from "../auth/viewer.ts";
import { resolveScope } from "../chain/clients.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import type { OperationIdInput } from "./input.ts";
import type { OperationKind } from "./kinds.ts";
import { presentOperation } from "./present.ts";
import { readOperation } from "./store.ts";

/**
 * GET /{cash,stock}/{deposits,withdrawals}/{operationId}.
 * @throws ApiError OPERATION_NOT_FOUND (also where another key owns it), INDEXER_BEHIND
 */
export async function getOperation(
  deps: Deps,
  viewer: Viewer,
  kind: OperationKind,
  { operationId }: OperationIdInput,
) {
  const { data, ...read } = await readOperation(deps.prisma, viewer, kind, operationId);
  if (!data?.operation) throw new ApiError("OPERATION_NOT_FOUND");
  const symbols = await resolveScope(deps, viewer).chain.tokens.metadata([data.operation.token_address]);
  return { ...read, data: presentOperation(kind, data, symbols) } satisfies AtBlock<unknown>;
}
