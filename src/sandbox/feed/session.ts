import type { Session } from "../../protocol/enums.ts";

/**
 * The real calendar of the New York exchanges: 04:00 pre, 09:30 regular, 16:00 post, 20:00 overnight (nights before a
 * trading day), closed otherwise. Early closes (13:00) on the days that have them.
 */
const NEW_YORK = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
});

interface LocalTime {
  /** The date as a UTC midnight, so that days can be counted. */
  date: Date;
  minuteOfDay: number;
}

/** @param time Unix seconds */
export function calendarSession(time: number): Session {
  const { date, minuteOfDay } = newYork(time);
  const trading = isTradingDay(date);
  if (minuteOfDay >= 20 * 60) return isTradingDay(addDays(date, 1)) ? "overnight" : "closed";
  if (!trading) return "closed";
  if (minuteOfDay < 4 * 60) return "overnight";
  if (minuteOfDay < 9 * 60 + 30) return "pre";
  return minuteOfDay < closingMinute(date) ? "regular" : "post";
}

/**
 * When the last regular session at or before this time ended: DAY orders placed before it are over.
 * @returns Unix seconds
 */
export function lastRegularEnd(time: number): number {
  const now = newYork(time);
  for (let back = 0; ; back += 1) {
    const date = addDays(now.date, -back);
    if (!isTradingDay(date)) continue;
    const closing = closingMinute(date);
    if (back === 0 && now.minuteOfDay < closing) continue;
    return instantOf(date, closing);
  }
}

function newYork(time: number): LocalTime {
  const parts = new Map(NEW_YORK.formatToParts(time * 1000).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return {
    date: new Date(Date.UTC(part("year"), part("month") - 1, part("day"))),
    minuteOfDay: part("hour") * 60 + part("minute"),
  };
}

/** New York is four or five hours behind UTC: the right offset is the one that reads back as the same local time. */
function instantOf(date: Date, minuteOfDay: number): number {
  const asUtc = date.getTime() / 1000 + minuteOfDay * 60;
  const summer = asUtc + 4 * 3600;
  return newYork(summer).minuteOfDay === minuteOfDay ? summer : asUtc + 5 * 3600;
}

const addDays = (date: Date, days: number) => new Date(date.getTime() + days * 86_400_000);
const sameDay = (a: Date, b: Date) => a.getTime() === b.getTime();
const isWeekend = (date: Date) => date.getUTCDay() === 0 || date.getUTCDay() === 6;
const isTradingDay = (date: Date) => !isWeekend(date) && !holidays(date).some((day) => sameDay(day, date));

/** 13:00 on the day after Thanksgiving, Christmas Eve and July 3rd, 16:00 otherwise. Only asked of trading days. */
function closingMinute(date: Date): number {
  const month = date.getUTCMonth();
  const day = date.getUTCDate();
  const early =
    sameDay(addDays(nthWeekday(date.getUTCFullYear(), 10, 4, 4), 1), date) ||
    (month === 11 && day === 24) ||
    (month === 6 && day === 3);
  return (early ? 13 : 16) * 60;
}

function holidays(date: Date): Date[] {
  const year = date.getUTCFullYear();
  const newYear = new Date(Date.UTC(year, 0, 1));
  return [
    // A New Year's Day on a Saturday is not made up for.
    newYear.getUTCDay() === 6 ? newYear : observed(newYear),
    nthWeekday(year, 0, 1, 3),
    nthWeekday(year, 1, 1, 3),
    addDays(easterSunday(year), -2),
    lastMonday(year, 4),
    observed(new Date(Date.UTC(year, 5, 19))),
    observed(new Date(Date.UTC(year, 6, 4))),
    nthWeekday(year, 8, 1, 1),
    nthWeekday(year, 10, 4, 4),
    observed(new Date(Date.UTC(year, 11, 25))),
  ];
}

/** A holiday on a Saturday is kept on Friday, one on a Sunday on Monday. */
function observed(date: Date): Date {
  if (date.getUTCDay() === 6) return addDays(date, -1);
  return date.getUTCDay() === 0 ? addDays(date, 1) : date;
}

function nthWeekday(year: number, month: number, weekday: number, nth: number): Date {
  const first = new Date(Date.UTC(year, month, 1));
  return addDays(first, ((weekday - first.getUTCDay() + 7) % 7) + (nth - 1) * 7);
}

function lastMonday(year: number, month: number): Date {
  const last = new Date(Date.UTC(year, month + 1, 0));
  return addDays(last, -((last.getUTCDay() + 6) % 7));
}

/** The Gregorian computus (Meeus, Jones, Butcher). */
function easterSunday(year: number): Date {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const monthAndDay = h + l - 7 * m + 114;
  return new Date(Date.UTC(year, Math.floor(monthAndDay / 31) - 1, (monthAndDay % 31) + 1));
}
