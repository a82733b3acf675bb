import type pg from "pg";
import { Gauge, type Registry } from "prom-client";
import { type PartitionState, readPartitionState } from "./partitions.ts";
import { createSharedRead } from "./shared-read.ts";

/** Adds what /metrics shows of tables with partitions, read from the database: every worker shows the same. */
export function createPartitionMetrics(registry: Registry, pool: pg.Pool): void {
  const readShared = createSharedRead(() => readPartitionState(pool));
  const gauge = (name: string, help: string, of: (state: PartitionState) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ["table"], registers: [registry] },
      async collect() {
        // Where the database does not answer, the metric is absent rather than wrong.
        this.reset();
        for (const state of (await readShared()) ?? []) this.set({ table: state.parent }, of(state));
      },
    });
  gauge("partitions_ahead", "Partitions of weeks to come, by table", ({ ahead }) => ahead);
  gauge(
    "partition_oldest_row_seconds",
    "Age of the oldest row of a table with partitions",
    ({ oldestSeconds }) => oldestSeconds,
  );
}
