// StockRouter: a combined call is a deposit and an order; this links the two. Its other effects arrive as events of Cashier and
// Stock.
import type { Context } from "ponder:registry";
import { cashOperation, stockOrder } from "ponder:schema";
import type { Hex } from "viem";
import { ponder } from "./registry.ts";
import { linkStockDeposit } from "./stock-operations.ts";
import { type ChainEvent, productOf } from "./store.ts";

ponder.on("StockRouter:DepositAndMarketBuy", async ({ event, context }) => {
  await linkCashDeposit(event, context, event.args);
});

ponder.on("StockRouter:DepositAndLimitBuy", async ({ event, context }) => {
  await linkCashDeposit(event, context, event.args);
});

async function linkCashDeposit(event: ChainEvent, context: Context, buy: { depositOpId: Hex; orderId: Hex }) {
  const { depositOpId, orderId } = buy;
  const product = productOf("stockRouter", event);
  await context.db.update(cashOperation, { ...product, opId: depositOpId }).set({ orderId });
  await context.db.update(stockOrder, { ...product, orderId }).set({ depositOpId });
}

ponder.on("StockRouter:DepositStockAndMarketSell", async ({ event, context }) => {
  const product = productOf("stockRouter", event);
  await linkStockDeposit(context.db, product, event.transaction.hash, event.args);
});

ponder.on("StockRouter:DepositStockAndLimitSell", async ({ event, context }) => {
  const product = productOf("stockRouter", event);
  await linkStockDeposit(context.db, product, event.transaction.hash, event.args);
});
