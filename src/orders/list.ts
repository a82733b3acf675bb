import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import type { OrderListInput } from "./input.ts";
import { readOrders } from "./list-store.ts";
import { presentOrder } from "./present.ts";

/** GET /orders (docs/api.md#lists). @throws ApiError VALIDATION_FAILED (cursor), INDEXER_BEHIND */
export async function listOrders(
  deps: Deps,
  viewer: Viewer,
  input: OrderListInput,
): ReturnType<typeof readOrders<ReturnType<typeof presentOrder>>> {
  return readOrders(deps.prisma, viewer, input, presentOrder, { versioned: deps.keepsAnswers });
}
