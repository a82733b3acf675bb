import { Gauge, Histogram, type Registry } from "prom-client";
import type { ProductId } from "../../protocol/shapes.ts";
import { CHECKS, type Outcome, RESULTS } from "./check.ts";

export interface ProbeMetrics {
  observe(scope: ProductId, outcome: Outcome): void;
}

/**
 * Adds what the prober saw from outside.
 * @param blockTimes Unix seconds of the newest block that answers named, by chain id; asked when /metrics is read
 */
export function createProbeMetrics(
  registry: Registry,
  scopes: readonly ProductId[],
  blockTimes: () => ReadonlyMap<number, number>,
  now: () => number,
): ProbeMetrics {
  const durations = new Histogram({
    name: "probe_duration_seconds",
    help: "Requests of the prober by chain, product, check and result, with the time until the whole answer, connection included",
    labelNames: ["chain_id", "product_type", "check", "result"],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  // From the start: a series that begins with its first failure shows no increase.
  for (const scope of scopes)
    for (const check of CHECKS)
      for (const result of RESULTS) durations.zero({ ...labelsOf(scope), check, result });
  new Gauge({
    name: "probe_block_age_seconds",
    help: "Age of the newest block that an answer named, from its own time; it grows while there are no answers",
    labelNames: ["chain_id"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [chainId, seconds] of blockTimes())
        this.set({ chain_id: String(chainId) }, now() / 1000 - seconds);
    },
  });
  const offset = lastSeen(registry, "probe_clock_offset_seconds", "The service's time minus the prober's");
  const expiry = lastSeen(
    registry,
    "probe_certificate_expiry_timestamp_seconds",
    "Expiry of the public address's certificate, Unix seconds",
  );
  return {
    observe: (scope, { check, result, seconds, clockOffsetSeconds, certificateExpiresAt }) => {
      durations.observe({ ...labelsOf(scope), check, result }, seconds);
      if (clockOffsetSeconds !== null) offset(clockOffsetSeconds);
      if (certificateExpiresAt !== null) expiry(certificateExpiresAt);
    },
  };
}

const labelsOf = ({ chainId, productType }: ProductId) => ({
  chain_id: String(chainId),
  product_type: productType,
});

/** Adds a gauge that is absent until the first value. */
function lastSeen(registry: Registry, name: string, help: string): (value: number) => void {
  let last: number | null = null;
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      if (last === null) this.remove();
      else this.set(last);
    },
  });
  return (value) => {
    last = value;
  };
}
