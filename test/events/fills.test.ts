import { expect, it } from "@jest/globals";
import { Registry } from "prom-client";
import { createEventMetrics } from "../../src/events/metrics.ts";
import type { Draft } from "../../src/events/writer/compare.ts";
import { fillsOf } from "../../src/events/writer/fills.ts";

const order = (type: Draft["type"], terms: object, retracts: string | null = null): Draft => ({
  keyId: "key",
  productType: "Stocks",
  eventId: "event",
  resource: "orders",
  object: "orders 1",
  blockNumber: 1n,
  txHash: null,
  type,
  retracts,
  data: JSON.stringify({ openOrder: null, historyOrder: null, ...terms }),
});

const FILLED = order("order.filled", { historyOrder: { side: "Sell" } });
const PARTLY = order("order.partially_filled", { openOrder: { side: "Buy" } });

it("counts fills, in part or in whole, by chain, product and side", async () => {
  const registry = new Registry();
  const count = createEventMetrics(registry);
  count(1, 3, fillsOf([PARTLY, FILLED, PARTLY]));
  const text = await registry.metrics();
  expect(text).toContain('order_fills_total{chain_id="1",product_type="Stocks",side="Buy"} 2');
  expect(text).toContain('order_fills_total{chain_id="1",product_type="Stocks",side="Sell"} 1');
  expect(text).toContain('events_appended_total{chain_id="1"} 3');
});

it("counts neither what a reorg took back nor other events", () => {
  const events = [
    order("order.partially_filled", { openOrder: { side: "Buy" } }, "an earlier event"),
    order("order.placed", { openOrder: { side: "Buy" } }),
    { ...order("order.placed", {}), type: "operation.completed" as const, data: "no JSON is read" },
  ];
  expect(fillsOf(events)).toEqual([]);
});

it("counts no event of another form, and throws nothing into the transaction that appends it", () => {
  const odd = ["{}", '{"openOrder":{"side":1},"historyOrder":null}', "null"];
  expect(fillsOf(odd.map((data) => ({ ...FILLED, data })))).toEqual([]);
});
