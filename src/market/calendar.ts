import type { Deps } from "../context/deps.ts";
import { type DaySessions, tradingDays } from "../market-data/calendar.ts";
import { newYorkTime } from "../market-data/new-york.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { type CalendarInput, toCalendarRange } from "./input.ts";

/** GET /calendar: trading days with their sessions, oldest first. @throws ApiError VALIDATION_FAILED */
export async function listTradingDays(
  { now }: Deps,
  _scope: ProductId,
  input: CalendarInput,
): Promise<DaySessions[]> {
  const { from, to } = toCalendarRange(input, newYorkTime(Math.floor(now() / 1000)).date);
  return tradingDays(from, to);
}
