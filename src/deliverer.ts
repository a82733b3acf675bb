import type { DestinationStream } from "pino";
import { loadDeployments, requireDevelopmentChains } from "./config/deployments.ts";
import { parseEnv } from "./config/env.ts";
import { type Job, startJobs } from "./context/jobs.ts";
import { markSeen, SEEN_EVERY_MS } from "./dashboard/problems/seen-store.ts";
import { createPool } from "./db/client.ts";
import { CHANNELS, listen } from "./db/notifications.ts";
import { PARTITION_DAYS } from "./db/partitions.ts";
import { createNotificationMetrics, createPoolMetrics } from "./db/pool-metrics.ts";
import { tracePool } from "./db/trace-pool.ts";
import { createApp } from "./http/app.ts";
import { createHealth } from "./http/health.ts";
import { listenOrStop, type Running } from "./http/lifecycle.ts";
import { createMetrics } from "./http/metrics.ts";
import { databaseChecks, jobsCheck } from "./http/readiness.ts";
import { createHttpServer } from "./http/server.ts";
import { createLog } from "./telemetry/log.ts";
import { type DeliveryDeps, startDeliveries } from "./webhooks/deliver.ts";
import { createDeliveryMetrics } from "./webhooks/metrics.ts";
import { removeOldDeliveries } from "./webhooks/outcome-store.ts";
import { boundPending } from "./webhooks/pending-store.ts";
import { webhookSettings } from "./webhooks/settings.ts";
import { removeOldTests } from "./webhooks/test-store.ts";

/** Parts that tests replace. */
export interface DelivererOverrides {
  now?: () => number;
  logTo?: DestinationStream;
}

/**
 * Starts the deliverer, which posts events and tests to partners' webhooks. It holds no key of a wallet, of attributions or of API
 * secrets, and knows no chain: what a receiver does to it costs nobody a send. Any number of deliverers may run at once.
 * @throws Error naming what is wrong with the environment
 */
export async function start(
  environment: NodeJS.ProcessEnv,
  overrides: DelivererOverrides = {},
): Promise<Running> {
  const env = parseEnv("deliverer", environment);
  if (env.WEBHOOK_LOOPBACK && env.DEPLOYMENTS_FILE !== undefined)
    requireDevelopmentChains("WEBHOOK_LOOPBACK", loadDeployments(env.DEPLOYMENTS_FILE, environment));
  const { now = Date.now } = overrides;
  const log = createLog("deliverer", env.LOG_LEVEL, overrides.logTo);
  const pool = createPool(env.DATABASE_URL, {
    max: env.DATABASE_POOL_MAX,
    preparedStatements: env.DATABASE_PREPARED_STATEMENTS,
    onIdleError: (err) => log.warn({ err }, "an idle database connection broke"),
  });
  tracePool(pool);
  const deps: DeliveryDeps = { pool, log, now, webhooks: webhookSettings(env) };
  const metrics = createMetrics(() => new Map());
  createPoolMetrics(metrics.registry, { pg: pool });
  const jobs = startJobs(jobsOf(deps, env.EVENT_RETENTION_DAYS), log);
  const listenUrl = env.DATABASE_LISTEN_URL ?? env.DATABASE_URL;
  const notifications = listen(listenUrl, [CHANNELS.events, CHANNELS.tests], log);
  createNotificationMetrics(metrics.registry, [notifications]);
  const deliveries = startDeliveries(deps, {
    notifications,
    onOutcome: createDeliveryMetrics(metrics.registry, pool),
  });
  const health = createHealth({
    checks: [...databaseChecks(pool), jobsCheck(jobs, deliveries)],
    metrics,
    log,
  });
  const server = createHttpServer({
    log,
    metrics,
    now,
    prefix: "",
    app: createApp([health.router], ["/livez", "/readyz", "/metrics"], now),
  });
  const stop = async () => {
    health.shutDown();
    await Promise.all([jobs.stop(), deliveries.stop()]);
    await notifications.close();
    await server.stop();
    await pool.end();
  };
  return { url: await listenOrStop(server, env, stop), log, stop };
}

const MINUTE_MS = 60_000;

const jobsOf = ({ pool }: DeliveryDeps, eventDays: number): Job[] => [
  { name: "alive", everyMs: SEEN_EVERY_MS, run: () => markSeen(pool, "deliverer") },
  { name: "pending deliveries", everyMs: MINUTE_MS, run: () => boundPending(pool) },
  {
    name: "old deliveries",
    everyMs: 10 * MINUTE_MS,
    run: () => removeOldDeliveries(pool, eventDays + PARTITION_DAYS),
  },
  { name: "old tests", everyMs: MINUTE_MS, run: () => removeOldTests(pool) },
];
