import type { StockToken } from "../chain/product/tokens.ts";
import type { Deps } from "../context/deps.ts";
import { ApiError } from "../protocol/errors.ts";

type Quotes = Awaited<ReturnType<Deps["marketData"]["quotes"]>>;

/** Reads quotes by upper-case symbol; none while market data is down, since holdings are worth telling without prices. */
export async function quotesIfAny(
  deps: Deps,
  tokens: readonly Pick<StockToken, "symbol">[],
): Promise<Quotes> {
  try {
    return await deps.marketData.quotes(tokens.map(({ symbol }) => symbol.toUpperCase()));
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "MARKET_DATA_UNAVAILABLE") return new Map();
    throw error;
  }
}
