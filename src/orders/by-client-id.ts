import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ClientOrderIdInput } from "./input.ts";
import { presentOrder } from "./present.ts";
import { readOrderByClientId } from "./store.ts";

/**
 * GET /orders/client/{clientOrderId}: the order that this key sent under its own identifier, from the moment that the request
 * is accepted: Init before it is indexed, Failed where it was never sent or reverted.
 * @throws ApiError ORDER_NOT_FOUND (no accepted request of this key has the identifier), INDEXER_BEHIND
 */
export async function getOrderByClientId(
  deps: Deps,
  viewer: Viewer,
  { clientOrderId }: ClientOrderIdInput,
): Promise<AtBlock<ReturnType<typeof presentOrder>>> {
  const { data, ...read } = await readOrderByClientId(deps.select, viewer, clientOrderId, {
    versioned: deps.keepsAnswers,
  });
  if (!data) throw new ApiError("ORDER_NOT_FOUND");
  return { ...read, data: presentOrder(data) };
}
