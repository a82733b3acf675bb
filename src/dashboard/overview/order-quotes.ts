import { quoteIfAny } from "../../chain/product/quoted-value.ts";
import { tokenPrice } from "../../chain/product/token-price.ts";
import type { Deps } from "../../context/deps.ts";
import { readCheckpoints } from "../../db/checkpoint-watch.ts";
import { whereIndexed, withDatabaseErrors } from "../../db/errors.ts";
import { type PlacedOrder, readPlaced, settleQuotes } from "./order-quote-store.ts";

/** A quote is that of an order placed at most so long before, seconds. */
const QUOTED_WITHIN_S = 15;

type QuoteDeps = Pick<Deps, "pool" | "prisma" | "deployments" | "marketData" | "now">;

/**
 * Returns a job that keeps the quote of each market order of a key, read within seconds of its block, and later how far the fills were
 * from it. An order that is placed while no worker runs, or while quotes are stale, has none. Any number of workers may do it: the
 * first quote of an order stays.
 */
export function createQuoteKeeper(deps: QuoteDeps): () => Promise<void> {
  /** Last block, by chain, whose orders were looked up. */
  const done = new Map<number, bigint>();
  return async () => {
    const blocks = await whereIndexed(() => readCheckpoints(deps.pool), new Map());
    for (const { chainId, confirmations } of deps.deployments.chains) {
      const head = blocks.get(chainId)?.number;
      if (head === undefined) continue;
      await quotePlaced(deps, chainId, done.get(chainId) ?? head);
      await settleQuotes(deps.pool, chainId, confirmations);
      // Rows of keys follow the index by a step.
      done.set(chainId, head - BigInt(confirmations));
    }
  };
}

async function quotePlaced(deps: QuoteDeps, chainId: number, afterBlock: bigint): Promise<void> {
  const placedFrom = Math.floor(deps.now() / 1_000) - QUOTED_WITHIN_S;
  const placed = await readPlaced(deps.pool, chainId, { afterBlock, placedFrom });
  const symbols = [...new Set(placed.map(({ symbol }) => symbol))];
  const quotes = new Map(
    await Promise.all(symbols.map(async (symbol) => [symbol, await quoteIfAny(deps, symbol)] as const)),
  );
  const data = placed.flatMap((order) => {
    const quote = quotes.get(order.symbol);
    return quote && !quote.stale ? [rowOf(chainId, order, quote.price)] : [];
  });
  if (data.length === 0) return;
  await withDatabaseErrors(() => deps.prisma.orderQuote.createMany({ data, skipDuplicates: true }));
}

const rowOf = (chainId: number, { multiplier, placedAt, ...order }: PlacedOrder, price: string) => ({
  ...order,
  chainId,
  placedAt: new Date(placedAt * 1_000),
  price: tokenPrice(price, multiplier).toString(),
});
