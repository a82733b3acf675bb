import type { EventType, OnChainStatus, OrderStatus } from "../protocol/enums.ts";
import { statusesOf } from "./status.ts";

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

interface StatusFilter {
  status?: OrderStatus | undefined;
  onChainStatus?: OnChainStatus | undefined;
}

/** Returns every event that may report an order which both statuses let through; undefined where neither is given. */
export function eventsOf({ status, onChainStatus }: StatusFilter): EventType[] | undefined {
  const statuses = onChainStatus === undefined ? undefined : statusesOf(onChainStatus);
  const matching = (statuses ?? (status && [status]))?.filter(
    (each) => status === undefined || each === status,
  );
  if (!matching) return undefined;
  const events = onChainStatus === "canceling" ? [] : matching.map((each) => ORDER_EVENTS[each]);
  return onChainStatus === undefined || onChainStatus === "canceling"
    ? [...events, "order.canceling"]
    : events;
}
