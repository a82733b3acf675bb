import type { ActionType, Session } from "../protocol/enums.ts";
import type { Adjustment } from "./adjust.ts";
import type { Bar, Interval } from "./bars.ts";

/**
 * A quote of an underlying stock (docs/api.md#market-and-portfolio). Amounts are decimal strings: US dollars, shares.
 */
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
  /** True where the quote is too old. */
  stale: boolean;
  source: string;
}

/** Range of bars to read. Times are Unix seconds of a bar's start, both ends included. */
export interface BarQuery {
  /** Upper case. */
  symbol: string;
  interval: Interval;
  adjustment: Adjustment;
  /** With it, the first `limit` bars from there; null: the last `limit` bars up to endTime. */
  startTime: number | null;
  endTime: number;
  limit: number;
}

/** A split, dividend or spin-off of an underlying stock. Dates are market dates, YYYY-MM-DD. */
export interface CorporateAction {
  actionId: string;
  symbol: string;
  type: ActionType;
  subType: string;
  declarationDate: string | null;
  exDate: string;
  recordDate: string | null;
  payableDate: string | null;
  /** US dollars per share, or null. */
  cash: string | null;
  /** Every oldRate shares become newRate, or bring newRate shares of the new company; null where shares stay. */
  oldRate: string | null;
  newRate: string | null;
}

export interface CorporateActionQuery {
  /** Upper case. */
  symbols: readonly string[];
  /** Ex-dates from and to, both included. */
  from: string;
  to: string;
}

/** Source of market data. Symbols are upper case. All throw ApiError MARKET_DATA_UNAVAILABLE, the last two also RATE_LIMITED. */
export interface MarketData {
  /** Time for which quotes are answered from memory, milliseconds: who asks again earlier gets nothing new. */
  readonly quotesMaxAgeMs: number;
  /** Returns the session of the market, now. */
  session(): Promise<Session>;
  /**
   * Returns the quote of a stock, or null where the provider has none.
   * @param isListed false where a caller named the stock, and no token stands for it; true where left out
   * @throws ApiError RATE_LIMITED, where it is false
   */
  quote(symbol: string, isListed?: boolean): Promise<Quote | null>;
  /** Returns the quotes of those stocks that are known, by symbol. */
  quotes(symbols: readonly string[]): Promise<ReadonlyMap<string, Quote>>;
  /** Returns price bars, oldest first; empty where there are none. */
  bars(query: BarQuery): Promise<readonly Bar[]>;
  /** Returns corporate actions by ex-date, oldest first. */
  corporateActions(query: CorporateActionQuery): Promise<readonly CorporateAction[]>;
}
