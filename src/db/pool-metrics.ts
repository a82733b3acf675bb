import type pg from "pg";
import { Counter, Gauge, type Registry } from "prom-client";
import { z } from "zod";
import { countServerFailures } from "./errors.ts";
import type { Listening } from "./notifications.ts";
import { queryOne } from "./query.ts";
import { sql } from "./sql.ts";

/**
 * Reports the connections of this process to the database, why it failed, and how far its clock is from this process's, read when /metrics is.
 * Registered before metrics that ask the database, whose statements would show as waiting.
 * @param pools by the name of their label; that of the primary is `pg`
 */
export function createPoolMetrics(
  registry: Registry,
  pools: Readonly<Record<string, pg.Pool> & { pg: pg.Pool }>,
): void {
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
  new Gauge({
    name: "database_clock_offset_seconds",
    help: "The database's time minus this process's",
    registers: [registry],
    async collect() {
      const offset = await readClockOffset(pools.pg).catch(() => null);
      // While the database does not answer, the metric is absent rather than wrong.
      if (offset === null) this.remove();
      else this.set(offset);
    },
  });
}

/** Reports whether PostgreSQL answers on the connections for notifications, asked when /metrics is read. */
export function createNotificationMetrics(
  registry: Registry,
  listening: readonly Pick<Listening, "isAnswered">[],
): void {
  new Gauge({
    name: "database_notifications_up",
    help: "1: PostgreSQL answers on the connections for notifications, which lead past a pooler (DATABASE_LISTEN_URL)",
    registers: [registry],
    async collect() {
      const answered = await Promise.all(listening.map((each) => each.isAnswered()));
      this.set(answered.every(Boolean) ? 1 : 0);
    },
  });
}

const clockSchema = z.object({ seconds: z.coerce.number() });

/** Returns the database's time minus this process's in the middle of the statement, seconds. */
export async function readClockOffset(pool: pg.Pool, now: () => number = Date.now): Promise<number> {
  const askedAt = now();
  const statement = sql`SELECT extract(epoch FROM clock_timestamp())::text AS seconds`;
  const { seconds } = await queryOne(pool, statement, clockSchema);
  return seconds - (askedAt + now()) / 2000;
}
