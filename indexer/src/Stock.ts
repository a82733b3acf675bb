// Stock: orders from placing to their end, the exchange ledger of stock tokens, listings and fees.
import { feeConfig, stockToken } from "ponder:schema";
import { products } from "../deployed.ts";
import { moveAvailable } from "./activity.ts";
import { endOrder, fillOrder, placeOrder, requestCancel } from "./orders.ts";
import { ponder } from "./registry.ts";
import { recordMovement } from "./stock-operations.ts";
import { productOf } from "./store.ts";

/** A stock token's multiplier until an event changes it. */
const ONE = 10n ** 18n;

ponder.on("Stock:MarketOrderPlaced", async ({ event, context }) => {
  const { amount, ...args } = event.args;
  await placeOrder(event, context, {
    ...args,
    side: amount > 0n ? "Buy" : "Sell",
    orderType: "Market",
    notional: amount > 0n ? amount : null,
    quantity: amount > 0n ? null : -amount,
    price: null,
    timeInForce: null,
  });
});

ponder.on("Stock:LimitOrderPlaced", async ({ event, context }) => {
  const { quantity, tif, ...args } = event.args;
  await placeOrder(event, context, {
    ...args,
    side: quantity > 0n ? "Buy" : "Sell",
    orderType: "Limit",
    notional: null,
    quantity: quantity > 0n ? quantity : -quantity,
    timeInForce: tif,
  });
});

ponder.on("Stock:MarketOrderSettled", async ({ event, context }) => {
  await fillOrder(event, context, { ...event.args, completes: true });
});

ponder.on("Stock:LimitOrderFilled", async ({ event, context }) => {
  await fillOrder(event, context, { ...event.args, completes: event.args.remaining === 0n });
});

ponder.on("Stock:CancelRequested", async ({ event, context }) => {
  await requestCancel(event, context, event.args.orderId);
});

ponder.on("Stock:CancelSettled", async ({ event, context }) => {
  await endOrder(event, context, event.args.orderId, "canceled");
});

ponder.on("Stock:OrderRejected", async ({ event, context }) => {
  await endOrder(event, context, event.args.orderId, "rejected", event.args.reason);
});

ponder.on("Stock:OrderExpired", async ({ event, context }) => {
  await endOrder(event, context, event.args.orderId, "expired");
});

ponder.on("Stock:StockDeposited", async ({ event, context }) => {
  await recordMovement(event, context, { kind: "stock-deposit", ...event.args });
});

ponder.on("Stock:StockWithdrawn", async ({ event, context }) => {
  await recordMovement(event, context, { kind: "stock-withdraw", ...event.args });
});

ponder.on("Stock:StockCredited", async ({ event, context }) => {
  const { user, stockToken: stock, amount } = event.args;
  await moveAvailable(event, context, { product: productOf("stock", event), user, stock }, amount);
});

ponder.on("Stock:StockDeducted", async ({ event, context }) => {
  const { user, stockToken: stock, amount } = event.args;
  await moveAvailable(event, context, { product: productOf("stock", event), user, stock }, -amount);
});

// A token that another product listed earlier keeps its present multiplier. A change before any listing is invisible: no event
// here has it, and the next change corrects it.
ponder.on("Stock:StockTokenListed", async ({ event, context }) => {
  const product = productOf("stock", event);
  const { stockToken: tokenAddress, symbol } = event.args;
  let multiplier = ONE;
  for (const other of products.all) {
    const known = await context.db.find(stockToken, { ...other, tokenAddress });
    if (known) multiplier = known.multiplier;
  }
  await context.db.insert(stockToken).values({
    ...product,
    tokenAddress,
    symbol,
    tradable: false,
    multiplier,
    listedAt: event.block.timestamp,
  });
});

ponder.on("Stock:StockTokenTradable", async ({ event, context }) => {
  const { stockToken: tokenAddress, tradable } = event.args;
  await context.db.update(stockToken, { ...productOf("stock", event), tokenAddress }).set({ tradable });
});

ponder.on("Stock:FeeConfigUpdated", async ({ event, context }) => {
  await context.db
    .insert(feeConfig)
    .values({ ...productOf("stock", event), ...event.args })
    .onConflictDoUpdate(event.args);
});
