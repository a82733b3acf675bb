import { formatDecimal } from "../protocol/decimal.ts";
import { toScaled } from "./fraction.ts";
import { addDays, dayOfWeek, newYorkInstant, newYorkTime } from "./new-york.ts";

export const INTERVALS = ["1m", "3m", "5m", "15m", "1h", "1d", "1w"] as const;
export type Interval = (typeof INTERVALS)[number];

/** A price bar as the API shows it: decimal text, `timestamp` the bar's start in Unix seconds. */
export interface Bar {
  timestamp: number;
  open: string;
  high: string;
  low: string;
  close: string;
  volume: string;
}

/** A bar to calculate with. Prices have PRICE_DECIMALS fraction digits, the volume VOLUME_DECIMALS. */
export interface ScaledBar {
  timestamp: number;
  open: bigint;
  high: bigint;
  low: bigint;
  close: bigint;
  volume: bigint;
}

/** Decimals of prices in answers; exchanges print at most four. */
const PRICE_DECIMALS = 6;
/** Shares; more digits than are shown, so that the volumes of adjusted bars add up before they are rounded. */
const VOLUME_DECIMALS = 12;

const INTRADAY_SECONDS: Partial<Record<Interval, number>> = {
  "1m": 60,
  "3m": 180,
  "5m": 300,
  "15m": 900,
  "1h": 3600,
};

/** Returns the seconds of an intraday interval; null for a day or a week, whose length the clock changes. */
export function intradaySeconds(interval: Interval): number | null {
  return INTRADAY_SECONDS[interval] ?? null;
}

/**
 * Returns the start of the bar that an instant falls into, Unix seconds. Days begin at midnight in New York, weeks on Mondays;
 * New York is whole hours from UTC, so minutes and hours count alike in both.
 */
export function barStart(seconds: number, interval: Interval): number {
  const length = intradaySeconds(interval);
  if (length !== null) return Math.floor(seconds / length) * length;
  const { date } = newYorkTime(seconds);
  return newYorkInstant(interval === "1d" ? date : weekStart(date), 0);
}

/** Returns the Monday of a market date's week. */
function weekStart(date: string): string {
  return addDays(date, -((dayOfWeek(date) + 6) % 7));
}

/**
 * Merges bars, oldest first, into bars of a longer interval. A bar with nothing in it does not exist.
 * Where a split or dividend lies inside a longer bar, adjust first: raw prices before and after it do not compare.
 */
export function aggregate(bars: readonly ScaledBar[], interval: Interval): ScaledBar[] {
  const merged: ScaledBar[] = [];
  for (const bar of bars) {
    const timestamp = barStart(bar.timestamp, interval);
    const last = merged.at(-1);
    if (last?.timestamp !== timestamp) {
      merged.push({ ...bar, timestamp });
      continue;
    }
    if (bar.high > last.high) last.high = bar.high;
    if (bar.low < last.low) last.low = bar.low;
    last.close = bar.close;
    last.volume += bar.volume;
  }
  return merged;
}

/** @throws SyntaxError when a price or the volume is no decimal number. */
export function scaleBar(bar: Bar): ScaledBar {
  return {
    timestamp: bar.timestamp,
    open: toScaled(bar.open, PRICE_DECIMALS),
    high: toScaled(bar.high, PRICE_DECIMALS),
    low: toScaled(bar.low, PRICE_DECIMALS),
    close: toScaled(bar.close, PRICE_DECIMALS),
    volume: toScaled(bar.volume, VOLUME_DECIMALS),
  };
}

/** Presents a bar; its volume is in whole shares. */
export function presentBar(bar: ScaledBar): Bar {
  const whole = 10n ** BigInt(VOLUME_DECIMALS);
  return {
    timestamp: bar.timestamp,
    open: formatDecimal(bar.open, PRICE_DECIMALS),
    high: formatDecimal(bar.high, PRICE_DECIMALS),
    low: formatDecimal(bar.low, PRICE_DECIMALS),
    close: formatDecimal(bar.close, PRICE_DECIMALS),
    volume: ((bar.volume + whole / 2n) / whole).toString(),
  };
}
