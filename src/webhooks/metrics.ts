import type pg from "pg";
import { Counter, Gauge, type Registry } from "prom-client";
import { createSharedRead } from "../db/shared-read.ts";
import { type QueueState, readQueueState } from "./metrics-store.ts";
import type { Result } from "./outcome-store.ts";

/**
 * Adds the metrics of webhooks: what this process delivered, and the queue, which is read from the database, so that every
 * deliverer shows the same. Labels name no key and no host.
 */
export function createDeliveryMetrics(registry: Registry, pool: pg.Pool): (result: Result) => void {
  const attempts = new Counter({
    name: "webhook_attempts_total",
    help: "Attempts of this process to deliver an event, by result",
    labelNames: ["result"],
    registers: [registry],
  });
  const readShared = createSharedRead(() => readQueueState(pool));
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    set: (to: Gauge, state: QueueState) => void,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const state = await readShared();
        if (state) set(this, state);
      },
    });
  gauge("webhook_queue_depth", "Deliveries of enabled webhooks that are pending", [], (to, { depth }) =>
    to.set(depth),
  );
  gauge(
    "webhook_oldest_undelivered_seconds",
    "Age of the oldest event that an enabled webhook has not received",
    [],
    (to, { oldestSeconds }) => to.set(oldestSeconds),
  );
  gauge(
    "webhook_delivery_lag_seconds",
    "Age of the oldest event that a webhook has not received although its receiver does not fail",
    [],
    (to, { ownOldestSeconds }) => to.set(ownOldestSeconds),
  );
  gauge("webhooks_failing", "Enabled webhooks whose last attempt failed", [], (to, { failing }) =>
    to.set(failing),
  );
  gauge("webhooks", "Webhooks by status", ["status"], (to, { enabled, disabled }) => {
    to.set({ status: "enabled" }, enabled);
    to.set({ status: "disabled" }, disabled);
  });
  return (result) => attempts.inc({ result });
}
