import type pg from "pg";
import { Counter, Gauge, type Registry } from "prom-client";
import { readQueueState } from "./metrics-store.ts";
import type { Result } from "./outcome-store.ts";

/**
 * Adds what /metrics tells of webhooks: what this worker delivered, and the queue, which is read from the database, so that every
 * worker tells the same. Labels name no key and no host.
 */
export function createDeliveryMetrics(registry: Registry, pool: pg.Pool): (result: Result) => void {
  const attempts = new Counter({
    name: "webhook_attempts_total",
    help: "Attempts of this worker to deliver an event, by result",
    labelNames: ["result"],
    registers: [registry],
  });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const oldest = gauge(
    "webhook_oldest_undelivered_seconds",
    "Age of the oldest event that an enabled webhook has not received",
  );
  const webhooks = gauge("webhooks", "Webhooks by status", ["status"]);
  new Gauge({
    name: "webhook_queue_depth",
    help: "Deliveries of enabled webhooks that are pending",
    registers: [registry],
    async collect() {
      // The database being down is /readyz's to tell; /metrics still answers.
      const state = await readQueueState(pool).catch(() => null);
      if (!state) return;
      this.set(state.depth);
      oldest.set(state.oldestSeconds);
      webhooks.set({ status: "enabled" }, state.enabled);
      webhooks.set({ status: "disabled" }, state.disabled);
    },
  });
  return (result) => attempts.inc({ result });
}
