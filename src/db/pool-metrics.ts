import type pg from "pg";
import { Counter, Gauge, type Registry } from "prom-client";
import { countServerFailures } from "./errors.ts";

/** Reports the connections of this process to the database, and why it failed, read when /metrics is. @param pools by the name of their label */
export function createPoolMetrics(registry: Registry, pools: Readonly<Record<string, pg.Pool>>): void {
  new Gauge({
    name: "database_pool_connections",
    help: "Connections to the database by pool and state: total, and of those idle",
    labelNames: ["pool", "state"],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
        this.set({ pool, state: "total" }, totalCount);
        this.set({ pool, state: "idle" }, idleCount);
      }
    },
  });
  new Counter({
    name: "database_failures_total",
    help: "Failures that lie with the database's server, by cause",
    labelNames: ["cause"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [cause, count] of countServerFailures()) this.inc({ cause }, count);
    },
  });
  new Gauge({
    name: "database_pool_waiting",
    help: "Statements that wait for a connection to the database, by pool",
    labelNames: ["pool"],
    registers: [registry],
    collect() {
      for (const [pool, { waitingCount }] of Object.entries(pools)) this.set({ pool }, waitingCount);
    },
  });
}
