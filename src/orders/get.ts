import type { Viewer } from "../auth/viewer.ts";
import type { Shown } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import type { Order } from "../context/schema-types.ts";
import { ApiError } from "../protocol/errors.ts";
import { findOrder } from "./find.ts";
import type { OrderIdInput } from "./input.ts";

/**
 * GET /orders/{orderId}.
 * @throws ApiError ORDER_NOT_FOUND (also where another key owns it), INDEXER_BEHIND
 */
export async function getOrder(deps: Deps, viewer: Viewer, { orderId }: OrderIdInput): Promise<Shown<Order>> {
  const found = await findOrder(deps, viewer, orderId);
  if (!found) throw new ApiError("ORDER_NOT_FOUND");
  return { ...found, data: found.data.order };
}
