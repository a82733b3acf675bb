import { operationStatusOf } from "../operations/status.ts";
import type { MappedOperation } from "../operations/store.ts";
import { statusOf } from "../orders/status.ts";
import type { MappedOrder, OrderRow } from "../orders/store.ts";
import type { EventType, OrderStatus } from "../protocol/enums.ts";

const ORDER_EVENTS: Record<OrderStatus, EventType> = {
  Init: "order.mapped",
  Pending: "order.placed",
  New: "order.placed",
  "Partial filled": "order.partially_filled",
  Filled: "order.filled",
  Canceled: "order.canceled",
  Expired: "order.expired",
  Rejected: "order.rejected",
  Failed: "order.failed",
};

/** Returns the event that an order's state is told by. */
export function orderEventOf({ claim, order }: MappedOrder): EventType {
  const { status, onChainStatus } = statusOf(
    order && { type: order.order_type, status: order.status, filledQuantity: order.filled_quantity },
    claim.state,
  );
  return onChainStatus === "canceling" ? "order.canceling" : ORDER_EVENTS[status];
}

/** Returns the transaction that brought an order to where it is. */
export function causeOfOrder({ claim, order }: MappedOrder): string | null {
  if (!order) return claim.tx_hash;
  if (order.settle_tx_hash) return order.settle_tx_hash;
  return (order.status === "canceling" && order.cancel_tx_hash) || lastFill(order) || claim.tx_hash;
}

const lastFill = ({ fills }: OrderRow): string | null => fills.at(-1)?.txHash ?? null;

/** Returns the event that an operation's state is told by. */
export function operationEventOf({ claim, operation }: MappedOperation): EventType {
  return `operation.${operationStatusOf(operation?.status ?? null, claim.state)}`;
}
