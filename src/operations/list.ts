import type { Viewer } from "../auth/viewer.ts";
import { resolveScope } from "../chain/clients.ts";
import type { Deps } from "../context/deps.ts";
import type { BlockRead } from "../context/request.ts";
import type { OperationListInput } from "./input.ts";
import type { OperationKind } from "./kinds.ts";
import { presentOperation } from "./present.ts";
import { readOperations } from "./store.ts";

/**
 * GET /{cash,stock}/{deposits,withdrawals} (docs/api.md#lists).
 * @throws ApiError VALIDATION_FAILED (cursor), INDEXER_BEHIND
 */
export async function listOperations(
  deps: Deps,
  viewer: Viewer,
  kind: OperationKind,
  input: OperationListInput,
) {
  const { data, ...read } = await readOperations(deps.prisma, viewer, kind, input);
  const tokens = data.rows.flatMap(({ operation }) => operation?.token_address ?? []);
  const symbols = await resolveScope(deps, viewer).chain.tokens.metadata([...new Set(tokens)]);
  const rows = data.rows.map((row) => presentOperation(kind, row, symbols));
  return { ...read, data: { ...data, rows } } satisfies BlockRead<unknown>;
}
