import type { Caller } from "../auth/caller.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../protocol/errors.ts";
import { readGasLimit } from "../transactions/gas.ts";
import { type SendAnswer, sendForUser } from "../transactions/send.ts";
import { encodeCancel, requireCancelable } from "./cancel.ts";
import { parseOrderId } from "./input.ts";
import { presentOrder } from "./present.ts";
import { readOrder } from "./store.ts";

/**
 * DELETE /orders/{orderId}/send: asks the chain to cancel an open limit order of the bound user. A second cancel of an
 * order is answered the first one's state. The mapping is the order's own.
 * @throws ApiError ORDER_NOT_FOUND, MARKET_ORDER_NOT_CANCELABLE, ORDER_NOT_CANCELABLE, and as sendForUser
 */
export async function sendCancel(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
): Promise<AtBlock<SendAnswer>> {
  const orderId = parseOrderId(args);
  const { block, data: mapped } = await readOrder(deps.prisma, caller, orderId);
  if (!mapped?.order) throw new ApiError("ORDER_NOT_FOUND");
  const { order } = mapped;
  const path = "/orders/:orderId/send";
  const incoming = { operation: "orders/cancel", method: "DELETE", path, args, idempotencyKey } as const;
  const reply = await sendForUser(deps, caller, incoming, async ({ user, product }) => {
    const gasLimit = readGasLimit(args);
    if (order.user_address !== user) throw new ApiError("ORDER_NOT_FOUND");
    requireCancelable(order);
    return {
      call: encodeCancel(product.contracts.stockRouter, orderId),
      gasLimit,
      needs: [],
      deadline: null,
      operationType: null,
      clientOrderId: null,
      operationKey: `cancel:${orderId}`,
      notional: null,
      symbol: order.symbol,
    };
  });
  return { block, data: { ...reply, mapping: presentOrder(mapped).mapping } };
}
