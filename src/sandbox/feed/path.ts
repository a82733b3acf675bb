import { createHash } from "node:crypto";
import type { DailyRow, Micros } from "./dataset.ts";
import { momentOf, rowOn } from "./series.ts";

/** Two waves of noise on top of the day's real course: one slow, one quick. Seconds, and parts of the day's range. */
const WAVES = [
  { stepSeconds: 900, part: 8n },
  { stepSeconds: 20, part: 80n },
] as const;
const UNIT = 1n << 20n;

export const CENT: Micros = 10_000n;

/**
 * The live price of a company at a time: from the day's real open to its real close in a straight line, with noise,
 * and never outside the day's real range. A pure function of its arguments, so that every process and every restart
 * sees the same price. In whole cents.
 * @param time Unix seconds
 */
export function priceAt(symbol: string, series: DailyRow[], time: number): Micros {
  const { weekday, elapsed } = momentOf(time);
  const row = rowOn(series, weekday);
  const range = row.high - row.low;
  let price = row.open + ((row.close - row.open) * BigInt(elapsed)) / 86_400n;
  for (const { stepSeconds, part } of WAVES) {
    price += (wave(symbol, time, stepSeconds) * (range / part)) / UNIT;
  }
  return roundToCent(clamp(price, row.low, row.high));
}

/** To the nearest cent, and never to nothing. */
export function roundToCent(price: Micros): Micros {
  const rounded = ((price + CENT / 2n) / CENT) * CENT;
  return rounded > 0n ? rounded : CENT;
}

/** Goes in straight lines between points that are fixed by symbol and time; from -UNIT to UNIT. */
function wave(symbol: string, time: number, stepSeconds: number): bigint {
  const step = Math.floor(time / stepSeconds);
  const from = point(symbol, stepSeconds, step);
  const to = point(symbol, stepSeconds, step + 1);
  return from + ((to - from) * BigInt(time - step * stepSeconds)) / BigInt(stepSeconds);
}

function point(symbol: string, stepSeconds: number, step: number): bigint {
  const digest = createHash("sha256").update(`${symbol}/${stepSeconds}/${step}`).digest();
  return (BigInt(digest.readUInt32BE(0)) % (2n * UNIT + 1n)) - UNIT;
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  if (value < low) return low;
  return value > high ? high : value;
}
