import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import { findByTokenSymbol } from "../context/listed-stock.ts";
import type { OrderListInput } from "./input.ts";
import { readOrders } from "./list-store.ts";

/** GET /orders (docs/api.md#lists). @throws ApiError VALIDATION_FAILED (cursor), INDEXER_BEHIND, RPC_UNAVAILABLE */
export async function listOrders(
  deps: Deps,
  viewer: Viewer,
  input: OrderListInput,
): ReturnType<typeof readOrders> {
  const found = await readOrders(deps, viewer, input);
  if (input.symbol === undefined || found.data.rows.length > 0) return found;
  const token = await findByTokenSymbol(deps, viewer, input.symbol);
  return token ? readOrders(deps, viewer, { ...input, symbol: token.address }) : found;
}
