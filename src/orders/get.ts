import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import type { OrderIdInput } from "./input.ts";
import { presentOrder } from "./present.ts";
import { readOrder } from "./store.ts";

/**
 * GET /orders/{orderId}.
 * @throws ApiError ORDER_NOT_FOUND (also where another key owns it), INDEXER_BEHIND
 */
export async function getOrder(
  deps: Deps,
  viewer: Viewer,
  { orderId }: OrderIdInput,
): Promise<AtBlock<ReturnType<typeof presentOrder>>> {
  const read = await readOrder(deps.select, viewer, orderId, { versioned: deps.keepsAnswers });
  if (!read.data) throw new ApiError("ORDER_NOT_FOUND");
  return { ...read, data: presentOrder(read.data) };
}
