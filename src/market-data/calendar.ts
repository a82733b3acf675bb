import { getHolidays } from "nyse-holidays";
import type { Session } from "../protocol/enums.ts";
import { addDays, dayOfWeek, newYorkInstant, newYorkTime } from "./new-york.ts";

const PRE_OPEN = 4 * 60;
const REGULAR_OPEN = 9 * 60 + 30;
const REGULAR_CLOSE = 16 * 60;
const EARLY_CLOSE = 13 * 60;
const POST_CLOSE = 20 * 60;
const EARLY_POST_CLOSE = 17 * 60;
const DAY_MINUTES = 24 * 60;

/**
 * Days on which the exchange stayed shut although no rule closes it: mourning, attacks and storms.
 * nyse-holidays knows the rules only, so this list is ours to extend when the exchange announces one.
 */
const UNSCHEDULED_CLOSURES = new Set([
  "2001-09-11",
  "2001-09-12",
  "2001-09-13",
  "2001-09-14",
  "2004-06-11",
  "2007-01-02",
  "2012-10-29",
  "2012-10-30",
  "2018-12-05",
  "2025-01-09",
]);

/** Early closes that no rule gives. */
const UNSCHEDULED_EARLY_CLOSES = new Set(["2003-12-26"]);

const holidaysByYear = new Map<number, ReadonlySet<string>>();

function holidaysOf(year: number): ReadonlySet<string> {
  let dates = holidaysByYear.get(year);
  if (!dates) {
    // dateString, not date: the package's Date objects are midnights of the machine's own time zone.
    dates = new Set(getHolidays(year).map((holiday) => holiday.dateString));
    holidaysByYear.set(year, dates);
  }
  return dates;
}

/** Returns true where the exchange holds a regular session on this market date. */
export function isTradingDay(date: string): boolean {
  const day = dayOfWeek(date);
  if (day === 0 || day === 6) return false;
  return !UNSCHEDULED_CLOSURES.has(date) && !holidaysOf(Number(date.slice(0, 4))).has(date);
}

/** Returns true where that trading day's regular session ends at 13:00 New York time. */
export function isEarlyClose(date: string): boolean {
  if (!isTradingDay(date)) return false;
  if (UNSCHEDULED_EARLY_CLOSES.has(date)) return true;
  const year = Number(date.slice(0, 4));
  const monthDay = date.slice(5);
  if (monthDay === "12-24") return true;
  return isBeforeIndependenceDay(year, monthDay, dayOfWeek(date)) || isAfterThanksgiving(date, monthDay);
}

/**
 * Returns true for 3 July when the 4th is a trading holiday on a weekday; until 2012 a Thursday 4th gave Friday the 5th
 * instead.
 */
function isBeforeIndependenceDay(year: number, monthDay: string, day: number): boolean {
  if (monthDay === "07-05") return year < 2013 && day === 5;
  return monthDay === "07-03" && (year >= 2013 || day !== 3);
}

function isAfterThanksgiving(date: string, monthDay: string): boolean {
  // The Friday after the fourth Thursday of November falls on the 23rd to the 29th.
  return dayOfWeek(date) === 5 && monthDay >= "11-23" && monthDay <= "11-29";
}

/**
 * Returns the session at an instant. Overnight trading (20:00 to 4:00) belongs to the trading day that follows it: it runs from
 * Sunday evening to Friday morning and not into a holiday. After an early close, post-market ends at 17:00.
 * @param seconds Unix seconds.
 */
export function sessionAt(seconds: number): Session {
  const { date, minute } = newYorkTime(seconds);
  if (minute >= POST_CLOSE) return isTradingDay(addDays(date, 1)) ? "overnight" : "closed";
  if (!isTradingDay(date)) return "closed";
  if (minute < PRE_OPEN) return "overnight";
  if (minute < REGULAR_OPEN) return "pre";
  const early = isEarlyClose(date);
  if (minute < (early ? EARLY_CLOSE : REGULAR_CLOSE)) return "regular";
  return minute < (early ? EARLY_POST_CLOSE : POST_CLOSE) ? "post" : "closed";
}

/** The sessions of a trading day. Times are Unix seconds; each session ends where the next one begins. */
export interface DaySessions {
  /** Market date. */
  date: string;
  /** In the evening of the day before. */
  overnightOpenAt: number;
  preOpenAt: number;
  openAt: number;
  closeAt: number;
  postCloseAt: number;
  isEarlyClose: boolean;
}

/** Returns the sessions of a trading day; null for any other day. */
export function sessionsOf(date: string): DaySessions | null {
  if (!isTradingDay(date)) return null;
  const isEarly = isEarlyClose(date);
  // Clocks change on Sunday mornings: from the evening before a trading day to its end, all hours have 60 minutes.
  const midnight = newYorkInstant(date, 0);
  const at = (minute: number) => midnight + minute * 60;
  return {
    date,
    overnightOpenAt: at(POST_CLOSE - DAY_MINUTES),
    preOpenAt: at(PRE_OPEN),
    openAt: at(REGULAR_OPEN),
    closeAt: at(isEarly ? EARLY_CLOSE : REGULAR_CLOSE),
    postCloseAt: at(isEarly ? EARLY_POST_CLOSE : POST_CLOSE),
    isEarlyClose: isEarly,
  };
}

/** Returns the sessions of the trading days from and to market dates, both included, in their order. */
export function tradingDays(from: string, to: string): DaySessions[] {
  const days: DaySessions[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) {
    const day = sessionsOf(date);
    if (day) days.push(day);
  }
  return days;
}

/** The longest break of the exchange since 2000 was of six days: a week has a trading day. */
const LONGEST_BREAK_DAYS = 7;

/** Returns when regular hours next begin and end after an instant. All are Unix seconds. */
export function nextRegularHours(seconds: number): { nextOpenAt: number; nextCloseAt: number } {
  const { date } = newYorkTime(seconds);
  const days = tradingDays(date, addDays(date, LONGEST_BREAK_DAYS + 1));
  const next = (time: "openAt" | "closeAt"): number => {
    const day = days.find((candidate) => candidate[time] > seconds);
    if (!day) throw new RangeError(`no trading day within ${LONGEST_BREAK_DAYS} days of ${date}`);
    return day[time];
  };
  return { nextOpenAt: next("openAt"), nextCloseAt: next("closeAt") };
}

/** Returns the last trading day before a market date. */
export function previousTradingDay(date: string): string {
  let day = addDays(date, -1);
  while (!isTradingDay(day)) day = addDays(day, -1);
  return day;
}
