import { servedBy } from "../chain/clients.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../protocol/errors.ts";
import { type CalldataReply, presentCalldata } from "../transactions/calldata.ts";
import type { Viewer } from "../transactions/viewer.ts";
import { encodeCancel, requireCancelable } from "./cancel.ts";
import { parseOrderId } from "./input.ts";
import { readOrder } from "./store.ts";

/**
 * DELETE /orders/{orderId}/calldata: encodes the cancel of an open limit order that the key owns.
 * @throws ApiError VALIDATION_FAILED, ORDER_NOT_FOUND, MARKET_ORDER_NOT_CANCELABLE, ORDER_NOT_CANCELABLE, INDEXER_BEHIND
 */
export async function cancelCalldata(
  deps: Deps,
  viewer: Viewer,
  args: Record<string, unknown>,
): Promise<AtBlock<CalldataReply & { preflight: null }>> {
  const orderId = parseOrderId(args);
  const { product } = servedBy(deps, viewer);
  const { block, data: mapped } = await readOrder(deps.prisma, viewer, orderId);
  if (!mapped?.order) throw new ApiError("ORDER_NOT_FOUND");
  requireCancelable(mapped.order);
  const call = encodeCancel(product.contracts.stockRouter, orderId);
  return { block, data: { ...presentCalldata(call, viewer), preflight: null } };
}
