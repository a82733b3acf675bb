import { z } from "zod";
import { type AdjustingAction, adjustBars, adjustmentSteps } from "./adjust.ts";
import { aggregate, type Bar, barStart, presentBar, scaleBar } from "./bars.ts";
import { addDays, newYorkInstant, newYorkTime } from "./new-york.ts";
import type { BarQuery, CorporateAction } from "./provider.ts";

const amount = z.string().regex(/^\d+(\.\d+)?$/, "must be a decimal string");
const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be YYYY-MM-DD");
const integer = z.string().regex(/^\d+$/, "must be an integer");

/** GET /feed/bars/:symbol. Pieces of one bar follow each other where an action took effect within it. */
export const feedBarsSchema = z.array(
  z.object({ timestamp: z.int(), open: amount, high: amount, low: amount, close: amount, volume: amount }),
);

/** GET /feed/actions: everything that moved prices, oldest first. */
export const feedActionsSchema = z.array(
  z.object({
    actionId: z.string(),
    symbol: z.string(),
    type: z.enum(["split", "dividend", "spin-off"]),
    subType: z.string(),
    declarationDate: date.nullable(),
    exDate: date,
    recordDate: date.nullable(),
    payableDate: date.nullable(),
    cash: amount.nullable(),
    oldRate: amount.nullable(),
    newRate: amount.nullable(),
    effectiveAt: z.int(),
    previousClose: amount.nullable(),
    spunOffPrice: amount.nullable(),
    priceFactor: z.object({ num: integer, den: integer }).nullable(),
  }),
);
export type FeedAction = CorporateAction & AdjustingAction;

const DAYS_PER_WEEK = 7;
/** A week has at most so many trading days. */
const TRADING_DAYS_PER_WEEK = 5;

/**
 * Returns the path of the raw bars that a query needs. The feed has none longer than a day, so weeks are requested in days: to
 * the last day of the last, and one week more, as the first may be cut off.
 */
export function barsPath({ symbol, interval, startTime, endTime, limit }: BarQuery): string {
  const weekly = interval === "1w";
  const parameters = new URLSearchParams({
    interval: weekly ? "1d" : interval,
    endTime: String(weekly ? weekEnd(endTime) : endTime),
    limit: String(weekly ? (limit + 1) * TRADING_DAYS_PER_WEEK : limit),
  });
  if (startTime !== null) parameters.set("startTime", String(startTime));
  return `/feed/bars/${encodeURIComponent(symbol)}?${parameters}`;
}

/** Returns the last second of the week that an instant falls into. */
function weekEnd(seconds: number): number {
  const monday = newYorkTime(barStart(seconds, "1w")).date;
  return newYorkInstant(addDays(monday, DAYS_PER_WEEK), 0) - 1;
}

/** Adjusts raw bars and merges them to the interval asked for. @param now Unix seconds */
export function historyOf(
  raw: readonly Bar[],
  actions: readonly FeedAction[],
  query: BarQuery,
  now: number,
): Bar[] {
  const own = actions.filter(({ symbol }) => symbol === query.symbol);
  const steps = adjustmentSteps(own, query.adjustment, now);
  const bars = aggregate(adjustBars(raw.map(scaleBar), steps), query.interval).filter(
    ({ timestamp }) => query.startTime === null || timestamp >= query.startTime,
  );
  const chosen = query.startTime === null ? bars.slice(-query.limit) : bars.slice(0, query.limit);
  return chosen.map(presentBar);
}
