import { operationStatusOf } from "../../operations/status.ts";
import type { MappedOperation } from "../../operations/store.ts";
import { ORDER_EVENTS } from "../../orders/event-types.ts";
import { statusOf } from "../../orders/status.ts";
import type { MappedOrder, OrderRow } from "../../orders/store.ts";
import type { EventType } from "../../protocol/enums.ts";

/** Returns the event that an order's state is reported by. */
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

/** Returns the event that an operation's state is reported by. */
export function operationEventOf({ claim, operation }: MappedOperation): EventType {
  return `operation.${operationStatusOf(operation?.status ?? null, claim.state)}`;
}
