import type { Deps } from "../context/deps.ts";
import { findListedStock } from "../context/listed-stock.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";

/**
 * Returns the symbol of a stock in market data, upper case.
 * @throws ApiError SYMBOL_NOT_FOUND where neither this scope nor the market data knows the name
 */
export async function resolveStock(
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
