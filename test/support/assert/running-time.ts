// Durations on a machine that is shared and stands still at times: what is counted is the time in which this process could run,
// and what is allowed is a bound of the service's own, or what the same call takes at rest, with slack.

const TICK_MS = 20;
/** A tick that comes later was held up: the machine, and the service on it, stood still for the rest. */
const TICK_MS_MAX = 100;

let ranMs = 0;
let lastMs = performance.now();
function tick(): number {
  const nowMs = performance.now();
  ranMs += Math.min(nowMs - lastMs, TICK_MS_MAX);
  lastMs = nowMs;
  return ranMs;
}
setInterval(tick, TICK_MS).unref();

export interface Timed<T> {
  answer: T;
  /** Without the time in which this process stood still. */
  ms: number;
}

/** Measures how long some work takes. */
export async function timed<T>(work: Promise<T>): Promise<Timed<T>> {
  const startedMs = tick();
  const answer = await work;
  return { answer, ms: tick() - startedMs };
}

/** Allowance for other work of the machine. */
const SLACK_MS = 500;
const RATIO_MAX = 3;

/**
 * Returns how long a call may take during a fault: three times what the same call takes at rest, the service's own bound on what
 * it waits for, and half a second.
 */
export const allowedMs = (restMs: number, boundMs = 0): number => RATIO_MAX * restMs + boundMs + SLACK_MS;

export const slowestOf = (calls: readonly Timed<unknown>[]): number => Math.max(...calls.map(({ ms }) => ms));

/** Returns the value that so much of the values, 0.99 for example, do not exceed. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
