import type { EventType, OrderStatus } from "../protocol/enums.ts";

/** The event that reports an order, unless a cancel of it is on the chain. */
export const ORDER_EVENTS: Record<OrderStatus, EventType> = {
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
