/**
 * Wall-clock time of the exchange. A market date is the text YYYY-MM-DD as New York writes it: the only unit in which
 * trading days, ex-dates and daily bars can be named without a daylight-saving trap.
 */
const formatter = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hourCycle: "h23",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
});

const DAY_SECONDS = 86_400;
/** Cached answers of Intl, by UTC hour. Each follows from its hour alone, so no answer depends on those before it. */
const offsets = new Map<number, number>();
const MAX_OFFSETS = 50_000;

export interface NewYorkTime {
  /** YYYY-MM-DD. */
  date: string;
  /** Minutes since midnight on the wall clock, 0 to 1439. */
  minute: number;
}

/** @param seconds Unix seconds. */
export function newYorkTime(seconds: number): NewYorkTime {
  const shown = seconds + utcOffset(seconds);
  const day = Math.floor(shown / DAY_SECONDS);
  return {
    date: dateOf(day),
    minute: Math.floor((shown - day * DAY_SECONDS) / 60),
  };
}

/** Seconds to add to UTC. Clocks change on the hour, and Intl is slow: one question an hour is enough. */
function utcOffset(seconds: number): number {
  const hour = Math.floor(seconds / 3600);
  const known = offsets.get(hour);
  if (known !== undefined) return known;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatter.formatToParts(hour * 3_600_000)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour: shown = 0, minute = 0 } = parts;
  const offset = Date.UTC(year, month - 1, day, shown, minute) / 1000 - hour * 3600;
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(hour, offset);
  return offset;
}

function dateOf(day: number): string {
  return new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
}

/**
 * Returns the Unix seconds of a wall-clock minute in New York.
 * Times that a change to summer time skips are read as if it had not happened yet; no session begins in that hour.
 */
export function newYorkInstant(date: string, minute: number): number {
  const asUtc = Date.parse(`${date}T00:00:00Z`) / 1000 + minute * 60;
  // New York is 4 or 5 hours behind UTC: the offset whose clock shows the requested time is right.
  for (const hours of [4, 5]) {
    const seconds = asUtc + hours * 3600;
    const shown = newYorkTime(seconds);
    if (shown.date === date && shown.minute === minute) return seconds;
  }
  return asUtc + 5 * 3600;
}

const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000 / DAY_SECONDS;

/** Years outside these have more than four digits, and such dates neither parse nor compare as text. */
const FIRST_DAY = dayNumber("0000-01-01");
const LAST_DAY = dayNumber("9999-12-31");

/** Returns a market date some days later (or earlier, with a negative count), within the years 0 to 9999. */
export function addDays(date: string, days: number): string {
  return dateOf(Math.min(Math.max(dayNumber(date) + days, FIRST_DAY), LAST_DAY));
}

/** Returns the day of the week; 0 is Sunday, as in Date. */
export function dayOfWeek(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}
