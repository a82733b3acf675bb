import type { Deps } from "../context/deps.ts";
import { findListedStock } from "../context/listed-stock.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { Bar } from "../market-data/bars.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { type HistoryInput, toBarQuery } from "./input.ts";

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

/**
 * Returns the symbol of a stock in market data, upper case.
 * @throws ApiError SYMBOL_NOT_FOUND where neither this scope nor the market data knows the name
 */
async function resolveStock(
  deps: Deps,
  scope: ProductId,
  name: string,
): Promise<{ block: AtBlock<unknown>["block"]; symbol: string }> {
  const { block, data: token } = await findListedStock(deps, scope, name);
  if (token) return { block, symbol: token.symbol.toUpperCase() };
  if (!(await deps.marketData.quote(name, false)))
    throw new ApiError("SYMBOL_NOT_FOUND", { param: "symbol" });
  return { block, symbol: name };
}
