import type pg from "pg";
import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { z } from "zod";
import { isLockTimeout } from "./errors.ts";
import { queryOne, queryRows } from "./query.ts";
import { createSharedRead } from "./shared-read.ts";
import { type Sql, sql } from "./sql.ts";

/**
 * Keeps the partitions of app.event and app.webhook_delivery (docs/operations/partitions.md), of which each is a week, and those of
 * app.request_log, a day each. Functions of the owner do the work, so the worker has no right to make or drop a table.
 */

/** Partitions beyond that of this week: for as many weeks the job may fail before rows of two weeks share a partition. */
export const PARTITIONS_AHEAD = 4;

/** Days that a partition's week adds to the age of its oldest row, and one for the job. */
export const PARTITION_DAYS = 8;

/** Days of app.request_log that are made ahead: a row whose day has no partition is refused. */
export const REQUEST_DAYS_AHEAD = 7;

/** Days that a request stays in app.request_log, at least. */
export const REQUEST_DAYS = 14;

export interface PartitionOptions {
  /** Days that events and deliveries are kept for, at least. */
  days: number;
  /** Returns this process's time, milliseconds: the database's clock is not trusted alone. */
  clock?: () => number;
}

/** The changes of one run. */
export interface PartitionChanges {
  made: number;
  entered: number;
  detached: string[];
  dropped: number;
  /** Of app.request_log. */
  madeDays: number;
  droppedDays: number;
}

/**
 * Makes partitions ahead, enters that of this week, detaches what is older than the retention and drops it. Each step is a
 * transaction of its own, and one that fails keeps none behind it from running. Safe while other workers do the same, and where
 * it dies at any point. A lock that cannot be taken is logged, and left to the next run.
 * @throws Error of the first step that failed otherwise, as where the clocks of worker and database differ
 */
export async function keepPartitions(
  pool: pg.Pool,
  log: Pick<Logger, "info" | "warn">,
  { days, clock = Date.now }: PartitionOptions,
): Promise<PartitionChanges> {
  const changes: PartitionChanges = {
    made: 0,
    entered: 0,
    detached: [],
    dropped: 0,
    madeDays: 0,
    droppedDays: 0,
  };
  const errors: unknown[] = [];
  const run = async (step: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (isLockTimeout(error))
        log.warn({ step }, "a table with partitions is in use for long; trying again later");
      else errors.push(error);
    }
  };
  const time = () => new Date(clock());
  await run("make", async () => {
    changes.made = await call(pool, sql`app.make_partitions(${time()}, ${PARTITIONS_AHEAD})`, z.number());
  });
  await run("make days", async () => {
    const days = sql`app.make_request_partitions(${time()}, ${REQUEST_DAYS_AHEAD})`;
    changes.madeDays = await call(pool, days, z.number());
  });
  await run("enter", async () => {
    changes.entered = await call(pool, sql`app.enter_partitions(${time()})`, z.number());
  });
  // Autovacuum does not analyze a table with partitions.
  if (changes.made + changes.entered > 0)
    await run("analyze", () => call(pool, sql`app.analyze_partitioned()`, z.unknown()));
  await run("detach", async () => {
    for (;;) {
      const name = await call(pool, sql`app.detach_partition(${time()}, ${days})`, z.string().nullable());
      if (name === null) return;
      changes.detached.push(name);
    }
  });
  await run("drop", async () => {
    changes.dropped = await call(pool, sql`app.drop_detached_partitions()`, z.number());
  });
  await run("drop days", async () => {
    const old = sql`app.drop_request_partitions(${time()}, ${REQUEST_DAYS})`;
    changes.droppedDays = await call(pool, old, z.number());
  });
  if (Object.values(changes).some((change) => (Array.isArray(change) ? change.length : change) > 0))
    log.info(changes, "partitions changed");
  if (errors.length > 0) throw errors[0];
  return changes;
}

async function call<T>(pool: pg.Pool, expression: Sql, schema: z.ZodType<T>): Promise<T> {
  const { result } = await queryOne(pool, sql`SELECT ${expression} AS result`, z.object({ result: schema }));
  return result;
}

const stateSchema = z.object({
  parent: z.string(),
  /** Partitions of weeks, or days, to come. */
  ahead: z.number(),
  /** Age of the oldest row, seconds; 0 where there is none. */
  oldestSeconds: z.coerce.number().transform((seconds) => Math.max(0, seconds)),
});
type PartitionState = z.output<typeof stateSchema>;

/** Returns how many partitions of each table are ahead, and how old the oldest row is. */
export function readPartitionState(pool: pg.Pool): Promise<PartitionState[]> {
  return queryRows(
    pool,
    sql`
      SELECT p.parent, count(*) FILTER (WHERE p.lower > app.week_position(now()))::int AS ahead,
        coalesce(extract(epoch FROM clock_timestamp() - CASE p.parent
          WHEN 'event' THEN (SELECT min(created_at) FROM app.event)
          ELSE (SELECT min(event_at) FROM app.webhook_delivery) END), 0)::text AS oldest_seconds
      FROM app.partitions() p GROUP BY p.parent
      UNION ALL SELECT 'request_log', count(*) FILTER (WHERE d.day > (now() AT TIME ZONE 'UTC')::date)::int,
        coalesce(extract(epoch FROM clock_timestamp() - (SELECT min(at) FROM app.request_log)), 0)::text
      FROM app.request_partitions() d ORDER BY 1`,
    stateSchema,
  );
}

/** Adds what /metrics shows of tables with partitions, read from the database: every worker shows the same. */
export function createPartitionMetrics(registry: Registry, pool: pg.Pool): void {
  const readShared = createSharedRead(() => readPartitionState(pool));
  const gauge = (name: string, help: string, of: (state: PartitionState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["table"],
      registers: [registry],
      async collect() {
        // While the database does not answer, the metric is absent rather than wrong.
        this.reset();
        for (const state of (await readShared()) ?? []) this.set({ table: state.parent }, of(state));
      },
    });
  gauge(
    "partitions_ahead",
    "Partitions of weeks to come, of app.request_log of days, by table",
    ({ ahead }) => ahead,
  );
  gauge(
    "partition_oldest_row_seconds",
    "Age of the oldest row of a table with partitions",
    ({ oldestSeconds }) => oldestSeconds,
  );
}
