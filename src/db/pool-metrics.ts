import type pg from "pg";
import { Gauge, type Registry } from "prom-client";

/** Reports the connections of this process to the database, read when /metrics is. @param pools by the name of their label */
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
