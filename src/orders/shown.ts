import { claimOfRow, type PendingRow } from "../claims/shown.ts";
import type { Order } from "../context/schema-types.ts";
import { presentOrder } from "./present.ts";

/** Returns the order of a row as the API answers it. */
export function orderOfRow(row: PendingRow & { status: string; data: string | null }): Order {
  // The projector wrote it by presentOrder.
  if (row.data !== null) return JSON.parse(row.data) as Order;
  const claim = claimOfRow(row, "trade", row.status === "Failed");
  return presentOrder({ claim, order: null, orderIds: [] });
}
