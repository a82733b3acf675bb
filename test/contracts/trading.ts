import type { Hex } from "viem";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { type Bench, type Event, idOf } from "./bench.ts";
import { DAY, LATER, router, stock } from "./calls.ts";

/** The contract's statuses of an order. */
export const STATUS = { open: 1, canceling: 2, filled: 3, canceled: 4, rejected: 5, expired: 6 };

/** Returns ann's orders in AAPL: signed amounts in wad, a sell's negative. */
export function tradingOf(bench: () => Bench) {
  return {
    async marketOrder(amount: bigint): Promise<Hex> {
      const { user, ann, aapl } = bench();
      return idOf(await user(ann, router("placeMarketOrder", aapl, amount, LATER)), "MarketOrderPlaced");
    },
    async limitOrder(quantity: bigint, price: bigint): Promise<Hex> {
      const { user, ann, aapl } = bench();
      return idOf(
        await user(ann, router("placeLimitOrder", aapl, quantity, price, DAY, LATER)),
        "LimitOrderPlaced",
      );
    },
    fillLimit: (orderId: Hex, quantity: bigint, price: bigint): Promise<Event[]> =>
      bench().settleStock(stock("settleLimitOrders", [orderId], [quantity], [price])),
    fillMarket: (orderId: Hex, price: bigint): Promise<Event[]> =>
      bench().settleStock(stock("settleMarketOrders", [orderId], [price])),
    orderOf: (orderId: Hex) =>
      bench().client.readContract({
        address: bench().deployment.stock,
        abi: stockAbi,
        functionName: "getOrder",
        args: [orderId],
      }),
    /** Returns everything that orders move, of the user and of the broker. */
    async holdings() {
      const { ann, settler, aapl, deployment, balance, locked, stockOf, lockedStockOf, tokensOf } = bench();
      const [mUsd, lockedUsd, shares, lockedShares, broker, custody] = await Promise.all([
        balance(ann.address),
        locked(ann.address),
        stockOf(ann.address),
        lockedStockOf(ann.address),
        balance(settler.address),
        tokensOf(aapl, deployment.stock),
      ]);
      return { mUsd, locked: lockedUsd, shares, lockedShares, broker, custody };
    },
  };
}
