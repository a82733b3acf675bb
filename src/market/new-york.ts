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

export interface NewYorkTime {
  /** YYYY-MM-DD. */
  date: string;
  /** Minutes since midnight on the wall clock, 0 to 1439. */
  minute: number;
}

/** @param seconds Unix seconds. */
export function newYorkTime(seconds: number): NewYorkTime {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatter.formatToParts(seconds * 1000)) parts[type] = value;
  return {
    date: `${(parts.year ?? "").padStart(4, "0")}-${parts.month}-${parts.day}`,
    minute: Number(parts.hour) * 60 + Number(parts.minute),
  };
}

/**
 * Unix seconds of a wall-clock minute in New York.
 * Times that a change to summer time skips are read as if it had not happened yet; no session begins in that hour.
 */
export function newYorkInstant(date: string, minute: number): number {
  const asUtc = Date.parse(`${date}T00:00:00Z`) / 1000 + minute * 60;
  // New York is 4 or 5 hours behind UTC: the one whose clock shows what was asked for is right.
  for (const hours of [4, 5]) {
    const seconds = asUtc + hours * 3600;
    const shown = newYorkTime(seconds);
    if (shown.date === date && shown.minute === minute) return seconds;
  }
  return asUtc + 5 * 3600;
}

/** A market date some days later (or earlier, with a negative count). */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_SECONDS * 1000).toISOString().slice(0, 10);
}

/** 0 is Sunday, as in Date. */
export function dayOfWeek(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}
