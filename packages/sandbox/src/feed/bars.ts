import { type Bar, type Interval, intradaySeconds } from "../../../../src/market-data/bars.ts";
import { formatDecimal } from "../../../../src/protocol/decimal.ts";
import { type DailyRow, MICRO_DECIMALS, type Micros } from "./dataset.ts";
import { DAY_SECONDS, momentOf, type TradingDay, tradingDay } from "./days.ts";
import { type Course, courseOf, STEP_SECONDS } from "./path.ts";
import { type PriceRatio, printedAt } from "./prices.ts";
import { rowOn } from "./series.ts";
import type { CorporateAction } from "./state.ts";

/** Query of bars: as BarQuery (market-data/provider.ts), always raw, and never longer than a day. */
export interface BarRequest {
  interval: Exclude<Interval, "1w">;
  startTime: number | null;
  endTime: number;
  limit: number;
}

/** Data that a company's printed prices follow from. */
export interface PricedStock {
  symbol: string;
  series: readonly DailyRow[];
  ratios: readonly PriceRatio[];
  /** Corporate actions that scripts applied, oldest first. */
  applied: readonly CorporateAction[];
}

/**
 * Returns bars as printed, oldest first, up to `now`. A bar in which a script applied a corporate action comes in two pieces,
 * before and after it: prices of both sides do not compare, and only the reader knows how to adjust them. `limit` counts bars,
 * not pieces.
 */
export function printedBars(stock: PricedStock, request: BarRequest, now: number): Bar[] {
  const end = Math.min(request.endTime, now);
  const first = momentOf(request.startTime ?? 0).day.number;
  const last = momentOf(end).day.number;
  const forwards = request.startTime !== null;
  const bars: Bar[][] = [];
  for (let count = 0; count <= last - first && bars.length < request.limit; count++) {
    const day = tradingDay(forwards ? first + count : last - count);
    const course = courseOf(stock.symbol, day.number, rowOn(stock.series, day.number));
    const starts = startsOf(day, request.interval).filter(
      (start) => start <= end && start >= (request.startTime ?? 0),
    );
    for (const start of forwards ? starts : starts.reverse()) {
      if (bars.length === request.limit) break;
      bars.push(piecesOf(stock, day, course, start, Math.min(start + lengthOf(request.interval), now)));
    }
  }
  return (forwards ? bars : bars.reverse()).flat();
}

const lengthOf = (interval: BarRequest["interval"]) => intradaySeconds(interval) ?? DAY_SECONDS;

function startsOf(day: TradingDay, interval: BarRequest["interval"]): number[] {
  const length = lengthOf(interval);
  return Array.from({ length: DAY_SECONDS / length }, (_, index) => day.start + index * length);
}

function piecesOf(stock: PricedStock, day: TradingDay, course: Course, start: number, end: number): Bar[] {
  const cuts = stock.applied.map(({ appliedAt }) => appliedAt).filter((time) => time > start && time <= end);
  const edges = [...new Set([start, ...cuts, end])];
  // A bar that has just begun has one price; an action at the last second leaves a piece with one, too.
  if (edges.length === 1 || cuts.includes(end)) edges.push(end);
  return edges.slice(1).map((to, index) => pieceOf(stock, day, course, edges[index] ?? start, to));
}

function pieceOf(stock: PricedStock, day: TradingDay, course: Course, from: number, to: number): Bar {
  const printed = printedAt(from, stock.ratios, stock.applied);
  const [begin, end] = [from - day.start, to - day.start];
  const { open, high, low, close } =
    begin === 0 && end === DAY_SECONDS ? course.row : sampled(course, begin, end);
  const { volume } = course.row;
  const tradedBy = (elapsed: number) => (volume * BigInt(elapsed)) / BigInt(DAY_SECONDS);
  return {
    timestamp: from,
    open: usd(printed(open)),
    high: usd(printed(high)),
    low: usd(printed(low)),
    close: usd(printed(close)),
    volume: `${tradedBy(end) - tradedBy(begin)}`,
  };
}

/** Returns open, extremes and close of a part of a day, sampled where the course bends. */
export function sampled(course: Course, begin: number, end: number): Omit<DailyRow, "date" | "volume"> {
  const open = course.at(begin);
  let high = open;
  let low = open;
  const sample = (elapsed: number): Micros => {
    const price = course.at(elapsed);
    if (price > high) high = price;
    if (price < low) low = price;
    return price;
  };
  const firstBend = (Math.floor(begin / STEP_SECONDS) + 1) * STEP_SECONDS;
  for (let elapsed = firstBend; elapsed < end; elapsed += STEP_SECONDS) sample(elapsed);
  return { open, close: sample(end), high, low };
}

const usd = (amount: Micros): string => formatDecimal(amount, MICRO_DECIMALS);
