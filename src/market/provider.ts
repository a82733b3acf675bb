import type { Session } from "../protocol/enums.ts";

/** A quote of an underlying stock (API.md section 4). Amounts are decimal strings in US dollars and shares. */
export interface Quote {
  /** Upper case. */
  symbol: string;
  name: string;
  price: string;
  bid: string | null;
  ask: string | null;
  bidSize: string | null;
  askSize: string | null;
  open: string | null;
  high: string | null;
  low: string | null;
  previousClose: string | null;
  volume: string | null;
  change24H: string | null;
  change24HPercent: string | null;
  session: Session;
  /** Unix seconds. */
  timestamp: number;
  /** Older than it should be. */
  stale: boolean;
  source: string;
}

/** Where quotes come from. Symbols are upper case. Both throw ApiError MARKET_DATA_UNAVAILABLE. */
export interface MarketData {
  /** The quote of a stock, or null where nobody knows it. */
  quote(symbol: string): Promise<Quote | null>;
  /** The quotes of those stocks that are known, by symbol. */
  quotes(symbols: readonly string[]): Promise<ReadonlyMap<string, Quote>>;
}
