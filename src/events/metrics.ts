import { Counter, Gauge, type Registry } from "prom-client";

/** Returns what counts the events that this worker appends, for /metrics. */
export function createEventMetrics(registry: Registry): (chainId: number, events: number) => void {
  const appended = new Counter({
    name: "events_appended_total",
    help: "Events that this worker appended to the log, by chain",
    labelNames: ["chain_id"],
    registers: [registry],
  });
  return (chainId, events) => appended.inc({ chain_id: String(chainId) }, events);
}

/** Counts streams of events. */
export interface StreamMetrics {
  opened(): void;
  ended(cause: string): void;
}

/** Returns what counts the streams of this api process, for /metrics. */
export function createStreamMetrics(registry: Registry): StreamMetrics {
  const open = new Gauge({
    name: "event_streams_open",
    help: "Streams of events that are open",
    registers: [registry],
  });
  const ended = new Counter({
    name: "event_streams_ended_total",
    help: "Streams of events that ended, by cause: client, slow (did not read), access (lost), expired (cursor), shutdown",
    labelNames: ["cause"],
    registers: [registry],
  });
  return {
    opened: () => open.inc(),
    ended: (cause) => {
      open.dec();
      ended.inc({ cause });
    },
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
      // Where the database does not answer, the metric is absent rather than wrong.
      this.reset();
      for (const [chainId, oldest] of await readOldest().catch(() => []))
        this.set({ chain_id: String(chainId) }, oldest === null ? 0 : Math.max(0, now() / 1000 - oldest));
    },
  });
}
