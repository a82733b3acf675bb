import { Counter, type Registry } from "prom-client";

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
