import { z } from "zod";
import { integer, numeric, oneOf, refuse, text, unixSeconds } from "../context/input/fields.ts";
import { ADJUSTMENTS } from "../market-data/adjust.ts";
import { INTERVALS } from "../market-data/bars.ts";
import { addDays, newYorkTime } from "../market-data/new-york.ts";
import type { BarQuery, CorporateAction } from "../market-data/provider.ts";
import { ACTION_TYPES } from "../protocol/enums.ts";

const stockName = text.min(1, "must not be empty").meta({ example: "AAPL" });
export const symbolListShape = z.object({ tradable: oneOf(["all"]).optional() });

/** Without `tradable`, the tokens that take orders now. */
export type SymbolListInput = z.output<typeof symbolListShape>;

export const symbolShape = z.object({ symbol: stockName });

/** A stock symbol, token symbol or token address. */
export type SymbolInput = z.output<typeof symbolShape>;

const NAMES_MAX = 100;
/** An address has 42 characters. */
const NAMES_LENGTH_MAX = NAMES_MAX * 43;

/** Names of listed stocks, comma separated; upper case out, none twice. */
const stockNames = z
  .string({ error: "must be stock names, comma separated" })
  .max(NAMES_LENGTH_MAX, { error: "is too long", abort: true })
  .transform((names) => [...new Set(names.toUpperCase().split(","))])
  .pipe(z.tuple([stockName], stockName))
  .refine((names) => names.length <= NAMES_MAX, `must be at most ${NAMES_MAX} names`)
  .meta({ example: "AAPL,MSFT" });

/** Without `symbols`, everything that is listed. */
export const priceListShape = z.object({ symbols: stockNames.optional() });

export type PriceListInput = z.output<typeof priceListShape>;

const DEFAULT_BARS = 100;
const MAX_BARS = 5_000;

export const historyShape = z.object({
  symbol: stockName,
  interval: oneOf(INTERVALS).default("1d"),
  startTime: unixSeconds.optional(),
  endTime: unixSeconds.optional(),
  adjustment: oneOf(ADJUSTMENTS).default("all"),
  // As in lists: below 1 means the default, above the most the most.
  limit: integer
    .transform((value) => (value < 1 ? DEFAULT_BARS : Math.min(value, MAX_BARS)))
    .default(DEFAULT_BARS),
});

export type HistoryInput = z.output<typeof historyShape>;

/**
 * Returns the history that a request asks for, of the stock that `name` means.
 * @param now Unix seconds
 * @throws ApiError VALIDATION_FAILED
 */
export function toBarQuery(input: HistoryInput, now: number): Omit<BarQuery, "symbol"> & { name: string } {
  const { symbol, startTime = null, endTime, ...query } = input;
  if (startTime !== null && endTime !== undefined && startTime > endTime) {
    throw refuse("startTime", "must not be after endTime");
  }
  return { ...query, name: symbol.toUpperCase(), startTime, endTime: endTime ?? now };
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY = "Unix seconds or a date like 2026-01-31";
const DAY_TOLD = `must be ${DAY}`;

/** A market date, or Unix seconds, which mean New York's date at that time. */
const marketDay = numeric(DAY, 15)
  .refine((value) => isDate(value) || unixSeconds.safeParse(value).success, DAY_TOLD)
  .transform((value) => (isDate(value) ? value : newYorkTime(Number(value)).date))
  .meta({ example: "2026-01-31" });

function isDate(value: string): boolean {
  return DATE.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;
}

export const actionsShape = z.object({
  symbol: stockName.optional(),
  type: oneOf(ACTION_TYPES).optional(),
  from: marketDay.optional(),
  to: marketDay.optional(),
});

export type ActionsInput = z.output<typeof actionsShape>;

const YEAR_DAYS = 365;

export interface ActionFilter {
  /** Upper case; null: every listed stock. */
  name: string | null;
  type: CorporateAction["type"] | null;
  /** Ex-dates from and to, both included. */
  from: string;
  to: string;
}

/**
 * Returns which corporate actions a request asks for; where the days are not named, a year back and a year ahead.
 * @param today market date
 * @throws ApiError VALIDATION_FAILED
 */
export function toActionFilter(input: ActionsInput, today: string): ActionFilter {
  const { symbol, type = null, from, to } = input;
  if (from !== undefined && to !== undefined && from > to) throw refuse("from", "must not be after to");
  const last = to ?? addDays(from !== undefined && from > today ? from : today, YEAR_DAYS);
  const first = from ?? addDays(last < today ? last : today, -YEAR_DAYS);
  return { name: symbol?.toUpperCase() ?? null, type, from: first, to: last };
}

/** Days of the calendar: prices of the first ones prove it, and later ones follow the exchange's rules. */
const FIRST_CALENDAR_DAY = "2000-01-01";
const LAST_CALENDAR_DAY = "2099-12-31";
const CALENDAR_DAYS_MAX = 366;
const CALENDAR_DAYS = 30;

const calendarDay = marketDay.refine(
  (date) => date >= FIRST_CALENDAR_DAY && date <= LAST_CALENDAR_DAY,
  `must be from ${FIRST_CALENDAR_DAY} to ${LAST_CALENDAR_DAY}`,
);

export const calendarShape = z.object({ from: calendarDay.optional(), to: calendarDay.optional() });

export type CalendarInput = z.output<typeof calendarShape>;

/**
 * Returns which days of the calendar a request asks for; without a day, a month from today.
 * @param today market date
 * @throws ApiError VALIDATION_FAILED
 */
export function toCalendarRange({ from, to }: CalendarInput, today: string): { from: string; to: string } {
  const first = from ?? (to !== undefined && to < today ? addDays(to, -CALENDAR_DAYS) : today);
  const last = to ?? addDays(first, CALENDAR_DAYS);
  if (first > last) throw refuse("from", "must not be after to");
  if (last > addDays(first, CALENDAR_DAYS_MAX))
    throw refuse("to", `must be at most ${CALENDAR_DAYS_MAX} days after from`);
  return { from: first, to: last };
}
