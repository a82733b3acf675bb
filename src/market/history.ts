import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { Bar } from "../market-data/bars.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { type HistoryInput, toBarQuery } from "./input.ts";
import { resolveStock } from "./resolve.ts";

/**
 * GET /prices/{symbol}/history: price bars of the underlying, oldest first, each by its begin. From startTime the first
 * `limit` bars; without it the last up to endTime. Stocks that are not listed here have a history where the market data
 * has them.
 * @throws ApiError VALIDATION_FAILED, SYMBOL_NOT_FOUND, INDEXER_BEHIND, RPC_UNAVAILABLE, MARKET_DATA_UNAVAILABLE
 */
export async function getHistory(
  deps: Deps,
  scope: ProductId,
  input: HistoryInput,
): Promise<AtBlock<readonly Bar[]>> {
  const { name, ...query } = toBarQuery(input, Math.floor(deps.now() / 1000));
  const { block, symbol } = await resolveStock(deps, scope, name);
  return { block, data: await deps.marketData.bars({ symbol, ...query }) };
}
