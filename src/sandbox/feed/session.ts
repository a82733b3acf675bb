import { isTradingDay, previousTradingDay, regularHours } from "../../market-data/calendar.ts";
import { newYorkTime } from "../../market-data/new-york.ts";

/**
 * Returns the end of the last regular session at or before a time, by the exchange's calendar: DAY orders placed before it are
 * over.
 * @param time Unix seconds
 * @returns Unix seconds
 */
export function lastRegularEnd(time: number): number {
  const { date } = newYorkTime(time);
  const today = isTradingDay(date) ? regularHours(date) : null;
  if (today && today.close <= time) return today.close;
  return regularHours(previousTradingDay(date))?.close ?? 0;
}
