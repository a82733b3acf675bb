import type { Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import type { CalldataReply } from "../calldata/calldata.ts";
import { presentSelfSubmitted } from "../calldata/self-submit.ts";
import { resolveScope } from "../chain/clients.ts";
import type { Deps } from "../context/deps.ts";
import type { BlockRead } from "../context/request.ts";
import type { Preflight } from "../context/schema-types.ts";
import { ApiError } from "../protocol/errors.ts";
import { encodeCancel, requireCancelable } from "./cancel.ts";
import { findOrder } from "./find.ts";
import type { OrderIdInput } from "./input.ts";

/**
 * DELETE /orders/{orderId}/calldata: encodes the cancel of an open limit order that the key owns.
 * @throws ApiError ORDER_NOT_FOUND, MARKET_ORDER_NOT_CANCELABLE, ORDER_NOT_CANCELABLE, INDEXER_BEHIND
 */
export async function cancelCalldata(
  deps: Deps,
  caller: Caller,
  { orderId }: OrderIdInput,
): Promise<BlockRead<CalldataReply & { preflight: Preflight | null }>> {
  const found = await findOrder(deps, caller, orderId);
  if (!found) throw new ApiError("ORDER_NOT_FOUND");
  requireCancelable(found.data);
  return { block: found.block, data: await presentCancel(deps, caller, orderId) };
}

/** Returns the call that cancels an order, for its user to submit. No wallet is named, so nothing is tried. */
export function presentCancel(
  deps: Deps,
  caller: Caller,
  orderId: Hex,
): Promise<CalldataReply & { preflight: Preflight | null }> {
  const { chain, product } = resolveScope(deps, caller);
  return presentSelfSubmitted(deps, caller, {
    chain,
    call: encodeCancel(product.contracts.stockRouter, orderId),
    user: null,
    requirementsOf: async () => [],
  });
}
