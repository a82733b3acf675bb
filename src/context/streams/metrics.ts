import { Counter, Gauge, type Registry } from "prom-client";

/** Counts streams of one kind. */
export interface StreamMetrics {
  opened(): void;
  ended(cause: string): void;
}

/**
 * Returns what counts the streams of this api process, for /metrics.
 * @param kind begins the names of the metrics: `event`
 * @param what the streams are of
 */
export function createStreamMetrics(registry: Registry, kind: string, what: string): StreamMetrics {
  const open = new Gauge({
    name: `${kind}_streams_open`,
    help: `Streams of ${what} that are open`,
    registers: [registry],
  });
  const ended = new Counter({
    name: `${kind}_streams_ended_total`,
    help: `Streams of ${what} that ended, by cause: client, slow (did not read), access (lost), expired (cursor), shutdown`,
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
