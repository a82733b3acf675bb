import { claimOfRow, type PendingRow } from "../claims/shown.ts";
import { presentOrder } from "./present.ts";

export type PresentedOrder = ReturnType<typeof presentOrder>;

/** Returns the order of a row as the API answers it. */
export function orderOfRow(row: PendingRow & { status: string; data: string | null }): PresentedOrder {
  // The projector wrote it by presentOrder.
  if (row.data !== null) return JSON.parse(row.data) as PresentedOrder;
  const claim = claimOfRow(row, "trade", row.status === "Failed");
  return presentOrder({ claim, order: null, orderIds: [] });
}
