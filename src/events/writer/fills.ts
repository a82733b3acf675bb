import { z } from "zod";
import type { Draft } from "./compare.ts";

/** A fill of an order, by its product and side. */
export interface Fill {
  productType: string;
  side: string;
}

const FILLS: ReadonlySet<string> = new Set(["order.filled", "order.partially_filled"]);

const terms = z.object({ side: z.string().nullable() }).nullable();
const orderSchema = z.object({ openOrder: terms, historyOrder: terms });

/**
 * Returns the fills that events are about; one that takes an earlier event back is about none. Never throws: they are counted for
 * /metrics alone, within the transaction that appends the events.
 */
export function fillsOf(events: readonly Draft[]): Fill[] {
  return events
    .filter(({ type, retracts }) => FILLS.has(type) && retracts === null)
    .flatMap(({ productType, data }) => {
      const order = orderSchema.safeParse(JSON.parse(data));
      const side = order.success ? (order.data.historyOrder ?? order.data.openOrder)?.side : null;
      return side ? [{ productType, side }] : [];
    });
}
