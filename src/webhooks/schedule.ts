const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Time limit of an attempt, from the look-up of the host to the end of the answer. */
export const ATTEMPT_MS = 10_000;

/** Time for which a delivery is retried, and for which a webhook may fail without a success. */
export const RETRY_HOURS = 72;

/** Pauses after the first failures of a delivery; the last one repeats until the time is up. */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
];
/** Spreads the retries of receivers that were down together. */
const JITTER = 0.2;
/** Maximum pause that a receiver may ask for. */
const ASKED_MAX_MS = HOUR_MS;

/**
 * Returns the pause after a failed attempt, milliseconds.
 * @param attempts their number, this one included
 * @param askedMs pause that the receiver asked for by Retry-After, or null
 * @param random from 0 to 1
 */
export function pauseMs(attempts: number, askedMs: number | null, random: number): number {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? SECOND_MS;
  const spread = pause * (1 + JITTER * (2 * random - 1));
  return Math.round(Math.max(spread, Math.min(askedMs ?? 0, ASKED_MAX_MS)));
}
