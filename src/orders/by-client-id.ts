import type { Viewer } from "../auth/viewer.ts";
import type { Shown } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import type { Order } from "../context/schema-types.ts";
import { ApiError } from "../protocol/errors.ts";
import { findOrderByClientId } from "./find.ts";
import type { ClientOrderIdInput } from "./input.ts";

/**
 * GET /orders/client/{clientOrderId}: the order that this key sent under its own identifier, from the moment that the request
 * is accepted: Init before it is indexed, Failed where it was never sent or reverted.
 * @throws ApiError ORDER_NOT_FOUND (no accepted request of this key has the identifier), INDEXER_BEHIND
 */
export async function getOrderByClientId(
  deps: Deps,
  viewer: Viewer,
  { clientOrderId }: ClientOrderIdInput,
): Promise<Shown<Order>> {
  const found = await findOrderByClientId(deps, viewer, clientOrderId);
  if (!found) throw new ApiError("ORDER_NOT_FOUND");
  return { ...found, data: found.data.order };
}
