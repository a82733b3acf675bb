import { divideUp, multiplyWadUp, WAD } from "../../protocol/decimal.ts";
import { ApiError } from "../../protocol/errors.ts";
import { tokenPrice } from "./token-price.ts";
import type { StockToken } from "./tokens.ts";

/** Part of market data that values are read from. */
interface QuoteSource {
  quote(symbol: string): Promise<CurrentQuote | null>;
}

interface CurrentQuote {
  price: string;
  stale: boolean;
}

interface QuotedValue {
  /** mUSD wad, rounded up; null where the stock has no quote now. */
  value: bigint | null;
  /** True where there is a quote and it is not stale. */
  current: boolean;
}

/** Values a quantity of tokens (wad) at the quote of the underlying stock, times the token's multiplier. */
export async function readValue(
  { marketData }: { marketData: QuoteSource },
  { symbol, multiplier }: Pick<StockToken, "symbol" | "multiplier">,
  quantity: bigint,
): Promise<QuotedValue> {
  const quote = await quoteIfAny({ marketData }, symbol);
  if (!quote) return { value: null, current: false };
  // One rounding, at the end.
  const value = divideUp(quantity * tokenPrice(quote.price, WAD) * multiplier, WAD * WAD);
  return { value, current: !quote.stale };
}

/** Returns the quote of a stock; null without one, while market data is down, and where its price is none. */
export async function quoteIfAny(
  { marketData }: { marketData: QuoteSource },
  symbol: string,
): Promise<CurrentQuote | null> {
  try {
    const quote = await marketData.quote(symbol.toUpperCase());
    if (quote) tokenPrice(quote.price, WAD);
    return quote;
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "MARKET_DATA_UNAVAILABLE") return null;
    throw error;
  }
}

/** The value of an order under its key's daily cap. */
export interface SaleValue {
  /** mUSD wad, rounded up; null without a limit and a quote. */
  notional: bigint | null;
  /** True for a sale without a current quote: what it may fill at is not known. */
  unquoted: boolean;
}

/**
 * Values a sale of tokens (wad). It fills at the market however low its limit is, so it counts at the higher of limit and quote.
 * @param limit mUSD wad per token; null at the market
 */
export async function readSaleValue(
  deps: { marketData: QuoteSource },
  token: Pick<StockToken, "symbol" | "multiplier">,
  { quantity, limit }: { quantity: bigint; limit: bigint | null },
): Promise<SaleValue> {
  const { value, current } = await readValue(deps, token, quantity);
  const atLimit = limit === null ? null : multiplyWadUp(quantity, limit);
  const higher = value !== null && (atLimit === null || value > atLimit) ? value : atLimit;
  return { notional: higher, unquoted: !current };
}
