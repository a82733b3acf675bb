import { ORDER_SOURCE } from "../../../claims/indexed-rows.ts";
import { sql } from "../../../db/sql.ts";
import { presentOrder } from "../../../orders/present.ts";
import { statusOf } from "../../../orders/status.ts";
import { type MappedOrder, ORDER_ROWS, parseOrderRow } from "../../../orders/store.ts";
import type { EventType, OrderStatus } from "../../../protocol/enums.ts";
import type { CurrentRow } from "../compare.ts";
import { type ClaimedList, commonOf } from "./list.ts";

export const ORDERS: ClaimedList = {
  resources: ["orders"],
  tables: [{ ...ORDER_SOURCE, id: "order_id" }],
  rows: ORDER_ROWS,
  present: (row) => [presentRow(row, parseOrderRow(row))],
  table: {
    name: "key_order",
    id: "order_id",
    key: ["claim_id", "ordinal"],
    columns: {
      on_chain_status: "text",
      side: "text",
      order_type: "text",
      stock_address: "text",
      client_order_id: "text",
      filled_notional: "numeric",
    },
    resource: sql`'orders'`,
  },
};

function presentRow(row: Record<string, unknown>, mapped: MappedOrder): CurrentRow {
  const { claim, order } = mapped;
  const presented = presentOrder(mapped);
  const { status, onChainStatus } = presented;
  const { columns, ...common } = commonOf(row, { claim, status, indexed: order }, presented);
  return {
    ...common,
    resource: "orders",
    ordinal: order?.ordinal ?? 0,
    objectId: order?.orderId ?? null,
    type: eventOf(mapped),
    causeTxHash: causeOf(mapped),
    waitsFor: null,
    columns: {
      ...columns,
      onChainStatus,
      side: order?.side ?? "",
      orderType: order?.orderType ?? "",
      stockAddress: order?.stockAddress ?? null,
      clientOrderId: claim.clientOrderId,
      filledNotional: order?.filledNotional ?? null,
    },
  };
}

/** Events that report orders by status, unless a cancel is on the chain. */
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

/** Returns the event that an order's state is reported by. */
function eventOf({ claim, order }: MappedOrder): EventType {
  const { status, onChainStatus } = statusOf(
    order && { type: order.orderType, status: order.status, filledQuantity: order.filledQuantity },
    claim.state,
  );
  return onChainStatus === "canceling" ? "order.canceling" : ORDER_EVENTS[status];
}

/** Returns the transaction that brought an order to where it is. */
function causeOf({ claim, order }: MappedOrder): string | null {
  if (!order) return claim.txHash;
  if (order.settleTxHash) return order.settleTxHash;
  return (order.status === "canceling" && order.cancelTxHash) || order.fills.at(-1)?.txHash || claim.txHash;
}
