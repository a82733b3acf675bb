import type { DestinationStream } from "pino";
import { createChains } from "./chain/clients.ts";
import { loadDeployments } from "./config/deployments.ts";
import { parseEnv } from "./config/env.ts";
import { startJobs } from "./context/jobs.ts";
import { createApp } from "./http/app.ts";
import { createHealth } from "./http/health.ts";
import { listenOrStop, type Running } from "./http/lifecycle.ts";
import { createMetrics } from "./http/metrics.ts";
import { createProbeMetrics } from "./http/probe/metrics.ts";
import { createProber, scopesOf } from "./http/probe/prober.ts";
import { jobsCheck } from "./http/readiness.ts";
import { createHttpServer } from "./http/server.ts";
import { createLog } from "./telemetry/log.ts";
import { createRpcTelemetry } from "./telemetry/rpc-metrics.ts";

/** Parts that tests replace. */
export interface ProberOverrides {
  now?: () => number;
  logTo?: DestinationStream;
}

/**
 * Starts the prober, which calls the public address as a partner does, and shows in its metrics how it is answered. It knows no database,
 * and shares nothing with the programs that it watches but nodes.
 * @throws Error naming what is wrong with the environment or the deployments file
 */
export async function start(
  environment: NodeJS.ProcessEnv,
  overrides: ProberOverrides = {},
): Promise<Running> {
  const env = parseEnv("prober", environment);
  const deployments = loadDeployments(env.DEPLOYMENTS_FILE, environment);
  const { now = Date.now } = overrides;
  const log = createLog("prober", env.LOG_LEVEL, overrides.logTo);
  const rpc = createRpcTelemetry();
  const metrics = createMetrics(() => new Map());
  for (const metric of rpc.metrics) metrics.registry.registerMetric(metric);
  const scopes = scopesOf(deployments);
  const prober = createProber({
    target: { url: env.PROBE_URL, apiKey: env.PROBE_API_KEY, apiSecret: env.PROBE_API_SECRET, now },
    scopes,
    chains: createChains(deployments, rpc.of),
    log,
    onOutcome: (scope, outcome) => probes.observe(scope, outcome),
  });
  const probes = createProbeMetrics(metrics.registry, scopes, prober.blockTimes, now);
  const intervalMs = env.PROBE_INTERVAL_SECONDS * 1000;
  let startedAt = 0;
  const run = () => {
    startedAt = performance.now();
    return prober.runRound();
  };
  // As often while answers are slow: an outage is counted by its probes.
  const everyMs = async () => Math.max(0, intervalMs - (performance.now() - startedAt));
  const jobs = startJobs([{ name: "probes", everyMs, run }], log);
  const health = createHealth({ checks: [jobsCheck(jobs)], metrics, log });
  const server = createHttpServer({
    log,
    metrics,
    now,
    prefix: "",
    app: createApp([health.router], ["/livez", "/readyz", "/metrics"], now),
  });
  const stop = async () => {
    health.shutDown();
    await jobs.stop();
    await server.stop();
  };
  return { url: await listenOrStop(server, env, stop), log, stop };
}
