import { z } from "zod";
import type { Draft } from "./compare.ts";

/** An event that says that an order was filled, or filled further. */
export interface Fill {
  productType: string;
  side: string;
}

const FILLS: ReadonlySet<string> = new Set(["order.filled", "order.partially_filled"]);

const terms = z.object({ side: z.string().nullable() }).nullable();
const orderSchema = z.object({ openOrder: terms, historyOrder: terms });

/** Returns the fills that events tell of; one that takes an earlier event back tells of none. */
export function fillsOf(events: readonly Draft[]): Fill[] {
  return events
    .filter(({ type, retracts }) => FILLS.has(type) && retracts === null)
    .flatMap(({ productType, data }) => {
      const { openOrder, historyOrder } = orderSchema.parse(JSON.parse(data));
      const side = (historyOrder ?? openOrder)?.side;
      return side ? [{ productType, side }] : [];
    });
}
