/**
 * Upper bounds of the buckets that durations are counted in, milliseconds, each about 1.4 times the one before. A duration is
 * in the first bucket whose bound it does not exceed; what exceeds all of them is in one more. The database holds counts by
 * their position: another number of bounds needs a migration.
 */
export const LATENCY_BOUNDS_MS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000,
  7_000, 10_000,
] as const;

export const LATENCY_BUCKETS = LATENCY_BOUNDS_MS.length + 1;

/** Returns the position of the bucket that a duration is in. */
export function bucketOf(ms: number): number {
  const found = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return found === -1 ? LATENCY_BOUNDS_MS.length : found;
}

/**
 * Returns the duration that a share of all does not exceed, milliseconds, as if those of a bucket were spread evenly over it;
 * null where there are none. What is slower than the last bound counts as that bound.
 * @param share above 0, at most 1
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const rank = counts.reduce((sum, count) => sum + count, 0) * share;
  if (rank === 0) return null;
  let below = 0;
  for (const [bucket, upper] of LATENCY_BOUNDS_MS.entries()) {
    const count = counts[bucket] ?? 0;
    if (count > 0 && below + count >= rank) {
      const lower = LATENCY_BOUNDS_MS[bucket - 1] ?? 0;
      return round(lower + ((upper - lower) * (rank - below)) / count);
    }
    below += count;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? null;
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
