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
