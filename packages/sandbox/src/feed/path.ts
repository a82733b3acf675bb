import type { DailyRow, Micros } from "./dataset.ts";
import { DAY_SECONDS, momentOf } from "./days.ts";
import { rowOn } from "./series.ts";

export const CENT: Micros = 10_000n;
/** Interval of samples of bars: between these steps a price follows straight lines, except for rounding. */
export const STEP_SECONDS = 20;

/** Two waves of noise on the day's real course: one slow, one quick. Seconds, and parts of the day's range. */
const WAVES = [
  { stepSeconds: 900, part: 8n },
  { stepSeconds: STEP_SECONDS, part: 80n },
] as const;
const UNIT = 1 << 20;
/** Time before and after a fixed point in which the noise fades. */
const FADE_SECONDS = 900;

/** Prices of one company on one day. */
export interface Course {
  /** In whole cents; touches the high and the low. */
  row: DailyRow;
  /** @param elapsed seconds since the start of the day, both ends of the day included. */
  at(elapsed: number): Micros;
}

interface Anchor {
  elapsed: number;
  price: Micros;
}

/**
 * Returns the live price of a company at a time, in whole cents. A pure function of its arguments, so that it is the same in
 * every process and after every restart.
 * @param time Unix seconds
 */
export function priceAt(symbol: string, series: readonly DailyRow[], time: number): Micros {
  const { day, elapsed } = momentOf(time);
  return courseOf(symbol, day.number, rowOn(series, day.number)).at(elapsed);
}

/**
 * Returns a day's course: from its real open over its real high and low, in either order, to its real close, with noise in
 * between that never leaves the day's real range. So minutes add up to exactly the real day.
 */
export function courseOf(symbol: string, dayNumber: number, real: DailyRow): Course {
  const row = inCents(real);
  const seed = hash(0x811c9dc5, `${symbol}/${dayNumber}`);
  const anchors = anchorsOf(row, seed);
  const range = row.high - row.low;
  function at(elapsed: number): Micros {
    const next = anchors.findIndex((anchor) => anchor.elapsed > elapsed);
    const to = anchors[next];
    const from = anchors[next - 1];
    if (!from || !to) return row.close;
    const nearest = Math.min(elapsed - from.elapsed, to.elapsed - elapsed, FADE_SECONDS);
    const length = BigInt(to.elapsed - from.elapsed);
    let price = from.price + ((to.price - from.price) * BigInt(elapsed - from.elapsed)) / length;
    for (const { stepSeconds, part } of WAVES) {
      const swing = BigInt(wave(seed, elapsed, stepSeconds)) * BigInt(nearest);
      price += (swing * range) / (part * BigInt(UNIT * FADE_SECONDS));
    }
    return clamp(roundToCent(price), row.low, row.high);
  }
  return { row, at };
}

/** Rounds to the nearest cent, at least one. */
export function roundToCent(price: Micros): Micros {
  const rounded = ((price + CENT / 2n) / CENT) * CENT;
  return rounded > 0n ? rounded : CENT;
}

function inCents(row: DailyRow): DailyRow {
  return {
    ...row,
    open: roundToCent(row.open),
    high: roundToCent(row.high),
    low: roundToCent(row.low),
    close: roundToCent(row.close),
  };
}

function anchorsOf(row: DailyRow, seed: number): Anchor[] {
  const steps = DAY_SECONDS / STEP_SECONDS;
  const first = (1 + (mix(seed, -1) % (steps / 2 - 1))) * STEP_SECONDS;
  const second = (steps / 2 + (mix(seed, -2) % (steps / 2 - 1))) * STEP_SECONDS;
  const highFirst = mix(seed, -3) % 2 === 0;
  return [
    { elapsed: 0, price: row.open },
    { elapsed: first, price: highFirst ? row.high : row.low },
    { elapsed: second, price: highFirst ? row.low : row.high },
    { elapsed: DAY_SECONDS, price: row.close },
  ];
}

/** Goes in straight lines between points that are fixed by symbol and time; from -UNIT to UNIT. */
function wave(seed: number, elapsed: number, stepSeconds: number): number {
  const step = Math.floor(elapsed / stepSeconds);
  const from = point(seed ^ stepSeconds, step);
  const to = point(seed ^ stepSeconds, step + 1);
  return from + Math.trunc(((to - from) * (elapsed - step * stepSeconds)) / stepSeconds);
}

const point = (seed: number, step: number) => (mix(seed, step) % (2 * UNIT + 1)) - UNIT;

/** FNV-1a. It needs no secrecy, only speed and the same result everywhere. */
function hash(basis: number, text: string): number {
  let value = basis;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

/** Spreads neighbouring numbers over all of 32 bits (the finalizer of MurmurHash3). */
function mix(seed: number, step: number): number {
  let value = seed ^ Math.imul(step + 1, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  if (value < low) return low;
  return value > high ? high : value;
}
