import { expect, it } from "@jest/globals";
import {
  bucketOf,
  LATENCY_BOUNDS_MS,
  LATENCY_BUCKETS,
  percentile,
} from "../../../src/dashboard/overview/latency.ts";

const countsOf = (durationsMs: readonly number[]) => {
  const counts = Array.from({ length: LATENCY_BUCKETS }, () => 0);
  for (const ms of durationsMs) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
};

it.each([
  [0, 0],
  [1, 0],
  [1.001, 1],
  [10_000, LATENCY_BUCKETS - 2],
  [10_001, LATENCY_BUCKETS - 1],
])("a duration of %d ms is in bucket %d", (ms, bucket) => {
  expect(bucketOf(ms)).toBe(bucket);
});

it("there is no percentile of nothing", () => {
  expect({ none: percentile([], 0.5), noCounts: percentile(countsOf([]), 0.99) }).toEqual({
    none: null,
    noCounts: null,
  });
});

it("a percentile is linear within its bucket", () => {
  const four = countsOf([25, 25, 25, 25]);
  expect({ percentiles: [0.25, 0.5, 1].map((share) => percentile(four, share)) }).toEqual({
    percentiles: [22.5, 25, 30],
  });
});

it("a percentile passes over what is faster and what is slower", () => {
  const mixed = countsOf([...Array.from({ length: 98 }, () => 2), 200, 60_000]);
  expect(percentile(mixed, 0.5)).toBeCloseTo(1.51, 2);
  expect(percentile(mixed, 0.99)).toBe(200);
  expect(percentile(mixed, 0.995)).toBe(10_000);
});

it("a percentile is no further from the truth than its bucket is wide", () => {
  const durations = Array.from({ length: 1_000 }, (_, index) => (index + 1) * 1.7);
  for (const share of [0.01, 0.5, 0.9, 0.99, 1]) {
    const exact = durations[Math.ceil(share * 1_000) - 1] ?? 0;
    const bucket = bucketOf(exact);
    const width = (LATENCY_BOUNDS_MS[bucket] ?? 0) - (LATENCY_BOUNDS_MS[bucket - 1] ?? 0);
    const found = percentile(countsOf(durations), share) ?? 0;
    const isNear = Math.abs(found - exact) <= width;
    expect({ share, exact, width, found, isNear }).toEqual({ share, exact, width, found, isNear: true });
  }
});
