// StockToken: splits and dividends. Balances are in tokens, and these never change them; balances themselves come from Stock.

import type { Context } from "ponder:registry";
import { distribution, multiplierChange, stockBalance, stockToken } from "ponder:schema";
import { and, eq, gt, or } from "ponder";
import type { Hex } from "viem";
import type { ProductId } from "../../src/protocol/shapes.ts";
import { products } from "../deployed.ts";
import { ponder } from "./registry.ts";

// One token may be listed in several products, and is followed from its first listing on.
ponder.on("StockToken:MultiplierUpdated", async ({ event, context }) => {
  const { oldMultiplier, newMultiplier } = event.args;
  const tokenAddress = event.log.address;
  for (const product of products.all) {
    if (!(await context.db.find(stockToken, { ...product, tokenAddress }))) continue;
    await context.db.update(stockToken, { ...product, tokenAddress }).set({ multiplier: newMultiplier });
    const change = {
      ...product,
      tokenAddress,
      blockNumber: event.block.number,
      logIndex: event.log.logIndex,
      oldMultiplier,
      newMultiplier,
      txHash: event.transaction.hash,
      timestamp: event.block.timestamp,
    };
    await context.db.insert(multiplierChange).values(change);
    const held = await holdersOf(context, product, tokenAddress);
    if (held.length > 0)
      await context.db.insert(distribution).values(held.map((holder) => ({ ...change, ...holder })));
  }
});

/** Returns the users who hold a token on the exchange, and how much of it. Multipliers change a few times a year: no index helps this. */
const holdersOf = ({ db }: Context, { chainId, productType }: ProductId, token: Hex) =>
  db.sql
    .select({
      userAddress: stockBalance.userAddress,
      available: stockBalance.available,
      locked: stockBalance.locked,
    })
    .from(stockBalance)
    .where(
      and(
        eq(stockBalance.chainId, chainId),
        eq(stockBalance.productType, productType),
        eq(stockBalance.stockAddress, token),
        or(gt(stockBalance.available, 0n), gt(stockBalance.locked, 0n)),
      ),
    );
