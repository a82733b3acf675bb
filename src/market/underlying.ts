import type { Deps } from "../context/deps.ts";
import { findListedStock } from "../context/listed-stock.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { Quote } from "../market-data/provider.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import type { SymbolInput } from "./input.ts";

/**
 * GET /underlying/{symbol}/price: the quote of a stock, named as in /prices/{symbol}.
 * @throws ApiError SYMBOL_NOT_FOUND, INDEXER_BEHIND, RPC_UNAVAILABLE, MARKET_DATA_UNAVAILABLE
 */
export async function getUnderlyingPrice(
  deps: Deps,
  scope: ProductId,
  { symbol }: SymbolInput,
): Promise<AtBlock<Quote>> {
  const name = symbol.toUpperCase();
  const { block, data: token } = await findListedStock(deps, scope, name);
  const quote = await deps.marketData.quote(token?.symbol.toUpperCase() ?? name, token !== null);
  if (!quote) throw new ApiError(token ? "MARKET_DATA_UNAVAILABLE" : "SYMBOL_NOT_FOUND", { param: "symbol" });
  return { block, data: quote };
}
