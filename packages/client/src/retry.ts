import { ApiError, ConnectionError, TimeoutError } from "./errors.ts";

const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 8_000;
/** Longest accepted Retry-After; beyond it the caller decides: a call that hangs for minutes looks broken. */
const RETRY_AFTER_SECONDS_MAX = 60;
/** Temporary statuses, such as those of proxies while the service restarts. */
const PASSING_STATUSES: ReadonlySet<number | null> = new Set([null, 408, 429, 502, 503, 504]);

/**
 * Returns the pause before a failed call is repeated; null where it is not repeated.
 * @param attempt number of repetitions so far
 * @param isRepeatable true where the call has the same effect once or twice; else it is repeated only where it was refused unseen
 */
export function pauseBefore(error: unknown, attempt: number, isRepeatable: boolean): number | null {
  if (!mayRepeat(error, isRepeatable)) return null;
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (asked === null) return backoff(attempt);
  // Spread by a fifth, because all refused callers got the same second.
  return asked > RETRY_AFTER_SECONDS_MAX ? null : asked * 1000 * (1 + Math.random() / 5);
}

function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof ApiError) return error.retryable && (isRepeatable || error.status === 429);
  if (error instanceof ConnectionError) return isRepeatable && PASSING_STATUSES.has(error.status);
  return error instanceof TimeoutError && isRepeatable;
}

/** Returns the pause before a repetition: doubled each time, and spread by half. */
export function backoff(attempt: number, pauseMsMax = PAUSE_MS_MAX): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, pauseMsMax) * (1 - Math.random() / 2);
}

/**
 * Waits for so many milliseconds.
 * @throws the signal's reason, as soon as it is aborted
 */
export function pause(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end);
  });
}
