import { formatDecimal } from "../../protocol/decimal.ts";
import { sessionAt } from "../calendar.ts";
import { divide, fraction, multiply, round, subtract, toScaled } from "../fraction.ts";
import { newYorkTime } from "../new-york.ts";
import type { CorporateAction, Quote } from "../provider.ts";
import type { WireBar, WireSnapshot } from "./wire.ts";

const DECIMALS = 6;
const PERCENT_DECIMALS = 4;

export interface QuoteContext {
  symbol: string;
  name: string;
  /** Unix seconds. */
  now: number;
  /** The snapshot came from the cache, because Alpaca does not answer. */
  fromStaleCache: boolean;
  /** Splits of the last days, of any stock: a previous close from before one is converted to today's shares. */
  splits: readonly CorporateAction[];
  /** In regular hours, a quote older than this is stale, seconds: the delay of its feed included. */
  staleAfterSeconds: number;
}

/**
 * Returns a quote of a snapshot, or null where the stock never traded. Before a day's first trade Alpaca's `dailyBar` is still
 * the session before: it is then the previous close, and the new session has no open, high, low and volume yet.
 */
export function quoteOf(snapshot: WireSnapshot, context: QuoteContext): Quote | null {
  const { latestTrade: trade, latestQuote: book } = snapshot;
  const price = trade ? plain(trade.p) : null;
  if (!trade || price === null) return null;
  const { today, before } = sessionBars(snapshot, trade.t);
  const previousClose = before ? closeInNewShares(before, trade.t, context) : null;
  const timestamp = Math.max(trade.t, book?.t ?? 0);
  const session = sessionAt(context.now);
  const late = session === "regular" && context.now - timestamp > context.staleAfterSeconds;
  return {
    symbol: context.symbol,
    name: context.name,
    price,
    bid: orNull(book?.bp),
    ask: orNull(book?.ap),
    bidSize: orNull(book?.bs),
    askSize: orNull(book?.as),
    open: orNull(today?.o),
    high: orNull(today?.h),
    low: orNull(today?.l),
    previousClose,
    volume: today ? plain(today.v) : null,
    ...changeSince(previousClose, price),
    session,
    timestamp,
    stale: context.fromStaleCache || late,
    source: "alpaca",
  };
}

function sessionBars(
  snapshot: WireSnapshot,
  tradedAt: number,
): { today: WireBar | null; before: WireBar | null } {
  const daily = snapshot.dailyBar ?? null;
  if (!daily) return { today: null, before: snapshot.prevDailyBar ?? null };
  const begun = newYorkTime(daily.t).date >= newYorkTime(tradedAt).date;
  return begun ? { today: daily, before: snapshot.prevDailyBar ?? null } : { today: null, before: daily };
}

/** Converts a previous close to today's shares: snapshots are raw, so a close from before a split does not compare. */
function closeInNewShares(
  before: WireBar,
  tradedAt: number,
  { symbol, splits }: QuoteContext,
): string | null {
  const [from, to] = [newYorkTime(before.t).date, newYorkTime(tradedAt).date];
  let close = fraction(before.c);
  for (const split of splits) {
    if (split.symbol !== symbol || split.exDate <= from || split.exDate > to) continue;
    close = divide(multiply(close, fraction(split.oldRate ?? "1")), fraction(split.newRate ?? "1"));
  }
  return orNull(formatDecimal(round(multiply(close, { num: 10n ** BigInt(DECIMALS), den: 1n })), DECIMALS));
}

function changeSince(
  previousClose: string | null,
  price: string,
): Pick<Quote, "change24H" | "change24HPercent"> {
  if (previousClose === null) return { change24H: null, change24HPercent: null };
  const change = subtract(fraction(price), fraction(previousClose));
  const percent = multiply(divide(change, fraction(previousClose)), { num: 100n, den: 1n });
  const scaled = (decimals: number) => ({ num: 10n ** BigInt(decimals), den: 1n });
  return {
    change24H: formatDecimal(round(multiply(change, scaled(DECIMALS))), DECIMALS),
    change24HPercent: formatDecimal(round(multiply(percent, scaled(PERCENT_DECIMALS))), PERCENT_DECIMALS),
  };
}

/** Returns null for 0: Alpaca writes 0 where there is no bid, no ask or no price. */
function orNull(text: string | undefined): string | null {
  const value = text === undefined ? "0" : plain(text);
  return value === "0" ? null : value;
}

/** Returns the number without an exponent and trailing zeros. */
function plain(text: string): string {
  return formatDecimal(toScaled(text, DECIMALS), DECIMALS);
}
