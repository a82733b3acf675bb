import type { Viewer } from "../auth/viewer.ts";
import type { Page } from "../claims/pages.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { parseOrderList } from "./input.ts";
import { presentOrder } from "./present.ts";
import { readOrders } from "./store.ts";

/** GET /orders (API.md section 3). @throws ApiError VALIDATION_FAILED, INDEXER_BEHIND */
export async function listOrders(
  deps: Deps,
  viewer: Viewer,
  args: Record<string, unknown>,
): Promise<AtBlock<Page<ReturnType<typeof presentOrder>>>> {
  return readOrders(deps.prisma, viewer, parseOrderList(args), presentOrder);
}
