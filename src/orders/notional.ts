import type { Deps } from "../context/deps.ts";
import { tokenPrice } from "../product/token-price.ts";
import type { StockToken } from "../product/tokens.ts";
import { divideUp, multiplyWadUp, WAD } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import type { OrderTerms } from "./input.ts";

type Priced = Pick<StockToken, "symbol" | "multiplier">;

/** The value of an order under its key's daily cap. */
export interface OrderNotional {
  /** mUSD wad, rounded up; null without a limit and a quote. */
  notional: bigint | null;
  /** True for a sale without a current quote: what it may fill at is not known. */
  unquoted: boolean;
}

/**
 * Values an order for the daily cap. A buy fills at its limit at most, or for its notional. A sale fills at the market
 * however low its limit is, so it counts at the higher of limit and quote.
 */
export async function readNotional(deps: Deps, token: Priced, terms: OrderTerms): Promise<OrderNotional> {
  const atLimit = terms.type === "Limit" ? multiplyWadUp(terms.quantity, terms.price) : null;
  if (terms.side === "Buy") {
    return { notional: terms.type === "Market" ? terms.notional : atLimit, unquoted: false };
  }
  const { value, current } = await readValue(deps, token, terms.quantity);
  const higher = value !== null && (atLimit === null || value > atLimit) ? value : atLimit;
  return { notional: higher, unquoted: !current };
}

export interface QuotedValue {
  /** mUSD wad, rounded up; null where the stock has no quote now. */
  value: bigint | null;
  /** True where there is a quote and it is not stale. */
  current: boolean;
}

/** Values a quantity of tokens (wad) at the quote of the underlying stock, times the token's multiplier. */
export async function readValue(
  { marketData }: Deps,
  { symbol, multiplier }: Priced,
  quantity: bigint,
): Promise<QuotedValue> {
  try {
    const quote = await marketData.quote(symbol.toUpperCase());
    if (!quote) return { value: null, current: false };
    // One rounding, at the end.
    const value = divideUp(quantity * tokenPrice(quote.price, WAD) * multiplier, WAD * WAD);
    return { value, current: !quote.stale };
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "MARKET_DATA_UNAVAILABLE") {
      return { value: null, current: false };
    }
    throw error;
  }
}
