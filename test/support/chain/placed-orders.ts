import { formatEther, parseEventLogs } from "viem";
import { stockAbi } from "../../../src/contracts/abi/index.ts";
import type { PlacedOrder } from "../assert/history/effects.ts";
import { allLogs, type Product } from "./product.ts";

/** Returns every market buy on the chain, oldest first, with the mUSD wad that it locked. */
export async function placedOrders(product: Product): Promise<(PlacedOrder & { lockedWad: bigint })[]> {
  const logs = await allLogs(product);
  return parseEventLogs({ abi: stockAbi, eventName: "MarketOrderPlaced", logs }).map(
    ({ args, transactionHash }) => ({
      orderId: args.orderId,
      txHash: transactionHash,
      user: args.user.toLowerCase(),
      notional: formatEther(args.amount),
      lockedWad: args.lockedAmount,
    }),
  );
}
