import { encodeFunctionData, type Hex } from "viem";
import { type RouterCall, routerCall } from "../calldata/calldata.ts";
import { resolveScope } from "../chain/clients.ts";
import type { Deps } from "../context/deps.ts";
import { stockRouterAbi } from "../contracts/abi/index.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { inputHash } from "../sending/outbox/identity.ts";
import type { PlannedSend } from "../sending/send-many.ts";
import type { FoundOrder } from "./find.ts";

/**
 * Requires an open limit order: no other can be canceled (docs/api.md#order-states).
 * @throws ApiError MARKET_ORDER_NOT_CANCELABLE, ORDER_NOT_CANCELABLE
 */
export function requireCancelable({ order, orderType, onChainStatus }: FoundOrder): void {
  if (orderType === "Market") throw new ApiError("MARKET_ORDER_NOT_CANCELABLE");
  if (onChainStatus === "canceling") {
    throw new ApiError("ORDER_NOT_CANCELABLE", { message: "The order is being canceled already" });
  }
  if (onChainStatus !== "open") {
    const message = `The order has ended: it is ${order.status.toLowerCase()}`;
    throw new ApiError("ORDER_NOT_CANCELABLE", { message });
  }
}

/** Encodes the cancel of a limit order for the router. */
export function encodeCancel(router: Hex, orderId: Hex): RouterCall {
  const callData = encodeFunctionData({
    abi: stockRouterAbi,
    functionName: "cancelLimitOrder",
    args: [orderId],
  });
  return routerCall(router, "cancelLimitOrder", callData, { orderId });
}

/** Returns the key under which one cancel of an order runs at a time: a second one is answered the first one's state. */
export const cancelKey = (orderId: Hex): string => `cancel:${orderId}`;

/** Returns the cancel of an order as one of several that are sent together. */
export function planCancel(
  deps: Pick<Deps, "deployments" | "chains">,
  scope: ProductId,
  orderId: Hex,
  symbol: string | null,
): PlannedSend {
  return {
    operation: "orders/cancel",
    operationKey: cancelKey(orderId),
    inputHash: inputHash("DELETE", "/orders/:orderId/send", { orderId }),
    call: encodeCancel(resolveScope(deps, scope).product.contracts.stockRouter, orderId),
    symbol,
  };
}
