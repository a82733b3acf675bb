import type { Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import { requireCaller } from "../auth/viewer.ts";
import type { Shown } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import { type Args, parseInput } from "../context/input/fields.ts";
import type { BlockRead, RequestContext } from "../context/request.ts";
import { ApiError } from "../protocol/errors.ts";
import { requireSendable } from "../sending/endpoint.ts";
import { requireGasLimit } from "../sending/gas.ts";
import { type SendAnswer, sendForUser } from "../sending/send.ts";
import { cancelKey, encodeCancel, requireCancelable } from "./cancel.ts";
import { type FoundOrder, findOrder } from "./find.ts";
import { orderIdShape } from "./input.ts";
import type { CancelSendInput } from "./shapes.ts";

/** A cancel's answer; the block is null where no index was asked, or none had the order. */
type CancelReply = BlockRead<SendAnswer>;

/**
 * Refuses a cancel before its gasLimit is checked: an order of another key does not exist, whatever this key lacks besides.
 * @throws ApiError VALIDATION_FAILED (orderId), ORDER_NOT_FOUND, and as requireSendable
 */
export async function beforeCancel(context: RequestContext, args: Args): Promise<void> {
  const caller = requireCaller(context);
  const { orderId } = parseInput(orderIdShape, args);
  if (!caller.userAddress) await requireOrder(context.deps, caller, orderId);
  requireSendable(context);
}

/**
 * DELETE /orders/{orderId}/send: asks the chain to cancel an open limit order of the bound user. A second cancel of an
 * order is answered the first one's state. The mapping is the order's own; null on a repeat while the index has no such
 * order, as in a reorg: the repeat is answered all the same.
 * @throws ApiError ORDER_NOT_FOUND, MARKET_ORDER_NOT_CANCELABLE, ORDER_NOT_CANCELABLE, and as sendForUser
 */
export async function sendCancel(
  deps: Deps,
  caller: Caller,
  input: CancelSendInput,
  idempotencyKey: string | null,
): Promise<CancelReply> {
  const { orderId, gasLimit = null } = input;
  const incoming = {
    operation: "orders/cancel",
    method: "DELETE",
    path: "/orders/:orderId/send",
    input,
    idempotencyKey,
    operationKey: cancelKey(orderId),
  } as const;
  let found: Shown<FoundOrder> | null = null;
  const reply = await sendForUser(deps, caller, incoming, async ({ user, product, gasLimitMax }) => {
    requireGasLimit(gasLimit, gasLimitMax);
    found = await requireOrder(deps, caller, orderId);
    const { order, userAddress } = found.data;
    if (userAddress !== user) {
      const message = "The order is another wallet's: DELETE /orders/{orderId}/calldata builds its cancel";
      throw new ApiError("ORDER_NOT_CANCELABLE", { message });
    }
    requireCancelable(found.data);
    return {
      call: encodeCancel(product.contracts.stockRouter, orderId),
      gasLimit,
      requirements: [],
      deadline: null,
      operationType: null,
      clientOrderId: null,
      notional: null,
      symbol: order.openOrder?.symbol ?? null,
    };
  });
  const read = found ?? (await requireOrder(deps, caller, orderId).catch(() => null));
  const mapping = read?.data.order.mapping ?? null;
  return { block: read?.block ?? null, data: { ...reply, mapping } };
}

/** @throws ApiError ORDER_NOT_FOUND, INDEXER_BEHIND */
async function requireOrder(deps: Deps, caller: Caller, orderId: Hex): Promise<Shown<FoundOrder>> {
  const found = await findOrder(deps, caller, orderId);
  if (!found) throw new ApiError("ORDER_NOT_FOUND");
  return found;
}
