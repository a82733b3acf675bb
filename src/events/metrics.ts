import { Counter, Gauge, type Registry } from "prom-client";
import type { WriterOptions } from "./writer/write.ts";

/** Returns what counts the events that this worker appends, for /metrics. */
export function createEventMetrics(registry: Registry): NonNullable<WriterOptions["onAppended"]> {
  const appended = new Counter({
    name: "events_appended_total",
    help: "Events that this worker appended to the log, by chain",
    labelNames: ["chain_id"],
    registers: [registry],
  });
  const filled = new Counter({
    name: "order_fills_total",
    help: "Events of orders filled, in part or in whole, that this worker appended; a reorg that takes one back counts nothing",
    labelNames: ["chain_id", "product_type", "side"],
    registers: [registry],
  });
  return (chainId, events, fills) => {
    const chain_id = String(chainId);
    appended.inc({ chain_id }, events);
    for (const { productType, side } of fills) filled.inc({ chain_id, product_type: productType, side });
  };
}

/**
 * Reports how far the log is behind the index, by chain. An api reports it, so that it is seen where no worker runs.
 * @param readOldest the block times of the oldest changes that are missing in the log, Unix seconds; null where none is
 */
export function reportLogAge(
  registry: Registry,
  readOldest: () => Promise<ReadonlyMap<number, number | null>>,
  now: () => number,
): void {
  new Gauge({
    name: "event_log_behind_seconds",
    help: "Age of the oldest change in the index that the log of events has not got to, by chain; 0 where there is none",
    labelNames: ["chain_id"],
    registers: [registry],
    async collect() {
      // While the database does not answer, the metric is absent rather than wrong.
      this.reset();
      for (const [chainId, oldest] of await readOldest().catch(() => []))
        this.set({ chain_id: String(chainId) }, oldest === null ? 0 : Math.max(0, now() / 1000 - oldest));
    },
  });
}
