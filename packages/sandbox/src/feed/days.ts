import { isTradingDay, previousTradingDay } from "../../../../src/market-data/calendar.ts";
import { addDays, newYorkInstant, newYorkTime } from "../../../../src/market-data/new-york.ts";

/** The data set's first day. Trading days are counted from here, so day n of the calendar is row n of the data set. */
const FIRST_DATE = "2000-01-03";
/** Clocks change on Sundays: a trading day, midnight to midnight in New York, always has 24 hours. */
export const DAY_SECONDS = 86_400;

export interface TradingDay {
  /** Counted from FIRST_DATE. */
  number: number;
  /** Market date, YYYY-MM-DD. */
  date: string;
  /** Midnight in New York, Unix seconds. */
  start: number;
}

/** A moment on the feed's calendar, which runs around the clock, but never on days on which the exchange is shut. */
export interface Moment {
  day: TradingDay;
  /** Seconds of that day that have passed; all of them on the closed days that follow it. */
  elapsed: number;
}

const dates = [FIRST_DATE];
const numbers = new Map([[FIRST_DATE, 0]]);

/** @param time Unix seconds; before FIRST_DATE it counts as that day's start. */
export function momentOf(time: number): Moment {
  const { date } = newYorkTime(time);
  if (date < FIRST_DATE) return { day: tradingDay(0), elapsed: 0 };
  if (!isTradingDay(date)) return { day: dayOn(previousTradingDay(date)), elapsed: DAY_SECONDS };
  const day = dayOn(date);
  return { day, elapsed: time - day.start };
}

export function tradingDay(number: number): TradingDay {
  while (dates.length <= number) countOn();
  const date = dates[number];
  if (date === undefined) throw new RangeError(`no trading day ${number}`);
  return { number, date, start: newYorkInstant(date, 0) };
}

function dayOn(date: string): TradingDay {
  while ((dates.at(-1) ?? "") < date) countOn();
  return tradingDay(numbers.get(date) ?? 0);
}

function countOn(): void {
  let next = addDays(dates.at(-1) ?? FIRST_DATE, 1);
  while (!isTradingDay(next)) next = addDays(next, 1);
  numbers.set(next, dates.length);
  dates.push(next);
}
