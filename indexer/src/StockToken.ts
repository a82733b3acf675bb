// StockToken: splits and dividends. Balances are in tokens, and these never change them; balances themselves come from Stock.
import { multiplierChange, stockToken } from "ponder:schema";
import { products } from "../deployed.ts";
import { ponder } from "./registry.ts";

// One token may be listed in several products, and is followed from its first listing on.
ponder.on("StockToken:MultiplierUpdated", async ({ event, context }) => {
  const { oldMultiplier, newMultiplier } = event.args;
  const tokenAddress = event.log.address;
  for (const product of products.all) {
    if (!(await context.db.find(stockToken, { ...product, tokenAddress }))) continue;
    await context.db.update(stockToken, { ...product, tokenAddress }).set({ multiplier: newMultiplier });
    await context.db.insert(multiplierChange).values({
      ...product,
      tokenAddress,
      blockNumber: event.block.number,
      logIndex: event.log.logIndex,
      oldMultiplier,
      newMultiplier,
      txHash: event.transaction.hash,
      timestamp: event.block.timestamp,
    });
  }
});
