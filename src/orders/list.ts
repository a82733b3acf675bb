import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import { findByTokenSymbol } from "../context/listed-stock.ts";
import type { OrderListInput } from "./input.ts";
import { readOrders } from "./list-store.ts";
import { presentOrder } from "./present.ts";

type Listed = ReturnType<typeof readOrders<ReturnType<typeof presentOrder>>>;

/** GET /orders (docs/api.md#lists). @throws ApiError VALIDATION_FAILED (cursor), INDEXER_BEHIND, RPC_UNAVAILABLE */
export async function listOrders(deps: Deps, viewer: Viewer, input: OrderListInput): Listed {
  const read = (filter: OrderListInput) => readOrders(deps.prisma, viewer, filter, presentOrder);
  const listed = await read(input);
  if (input.symbol === undefined || listed.data.rows.length > 0) return listed;
  const token = await findByTokenSymbol(deps, viewer, input.symbol);
  return token ? read({ ...input, symbol: token.address }) : listed;
}
