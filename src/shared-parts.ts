import type { GraphQLSchema } from "graphql";
import { buildApiSchema } from "./api/schema.ts";
import { createFailureLimit, type FailureLimit } from "./auth/rate-limits.ts";
import type { TrustedProxies } from "./auth/trusted-proxies.ts";
import type { BuiltReplicas } from "./build-deps.ts";
import type { Env } from "./config/env.ts";
import type { Deps } from "./context/deps.ts";
import { createStreamHost, type HostTiming } from "./context/streams/host.ts";
import { createStreamMetrics } from "./context/streams/metrics.ts";
import { reportStreams } from "./context/streams/report.ts";
import type { Checkpoints } from "./db/checkpoint-watch.ts";
import type { Listening } from "./db/notifications.ts";
import { createNotificationMetrics, createPoolMetrics } from "./db/pool-metrics.ts";
import { readOldestUnreported } from "./events/age-store.ts";
import { reportLogAge } from "./events/metrics.ts";
import { createEventStreams, type EventStreams, type StreamTiming } from "./events/stream/streams.ts";
import { createHealth, type Health, watchChecks } from "./http/health.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { chainChecks, databaseChecks, haltChecks, replicaChecks } from "./http/readiness.ts";
import type { HttpOptions, Timeouts } from "./http/server.ts";
import { createPriceStreams, type PriceStreams, type PriceTiming } from "./market/stream/streams.ts";
import type { WatchedMarketData } from "./market-data/watch.ts";
import type { RpcTelemetry } from "./telemetry/rpc-metrics.ts";

/** Parts of the api that the public and the operator's server share. */
export interface SharedParts {
  schema: GraphQLSchema;
  metrics: Metrics;
  health: Health;
  /** Of each address, on both servers together. */
  failures: FailureLimit;
  trustedProxies: TrustedProxies;
  /** Names the parts that do not answer: market data and read replicas. */
  failingParts: () => Promise<readonly string[]>;
  streams: EventStreams;
  prices: PriceStreams;
  /** Ends every stream, and reads nothing more for them; idempotent. Settles once none is reported any more. */
  stopStreams: () => Promise<void>;
  http: Omit<HttpOptions, "app">;
}

export interface SharedOptions {
  env: Env<"api">;
  deps: Deps;
  notifications: Listening;
  market: WatchedMarketData;
  rpc: RpcTelemetry;
  replicas: BuiltReplicas;
  checkpoints: Checkpoints;
  trustedProxies: TrustedProxies;
  timeouts?: Partial<Timeouts>;
  streamTiming?: Partial<HostTiming & StreamTiming & PriceTiming & { reportMs: number }>;
  metricsMaxAgeMs?: number;
}

/** Each look asks for a quote: one for all dashboards that are open, so often. Milliseconds. */
const PARTS_MS = 8_000;

/** Creates what both servers of the api share. */
export function createSharedParts(options: SharedOptions): SharedParts {
  const { env, deps, checkpoints, timeouts } = options;
  const { pool, log, now } = deps;
  const metrics = createApiMetrics(options);
  const { streamTiming: timing } = options;
  const { EVENT_STREAMS_PER_KEY: perKeyMax, EVENT_STREAMS_MAX: max } = env;
  const host = createStreamHost({ log, now, perKeyMax, max, timing });
  const streams = createEventStreams({
    pool,
    log,
    now,
    checkpoints,
    notifications: options.notifications,
    host,
    metrics: createStreamMetrics(metrics.registry, "event", "events"),
    chainIds: deps.deployments.chains.map(({ chainId }) => chainId),
    timing,
  });
  const prices = createPriceStreams({
    deps,
    host,
    metrics: createStreamMetrics(metrics.registry, "price", "prices"),
    timing,
  });
  const reports = reportStreams({ pool, log, host, reportMs: timing?.reportMs });
  const stopStreams = () => {
    host.stop();
    streams.stop();
    prices.stop();
    return reports.stop();
  };
  const docsUrl = env.DOCS_URL ?? null;
  return {
    schema: buildApiSchema(),
    metrics,
    health: createApiHealth(options, metrics),
    failingParts: watchChecks(
      [options.market.check, ...replicaChecks(options.replicas.replicas)],
      log,
      PARTS_MS,
    ),
    failures: createFailureLimit(env.RATE_LIMIT_FAILURES),
    trustedProxies: options.trustedProxies,
    streams,
    prices,
    stopStreams,
    http: {
      log,
      metrics,
      now,
      prefix: env.PATH_PREFIX,
      docsUrl,
      timeouts,
      onDrain: () => void stopStreams(),
    },
  };
}

function createApiMetrics({
  deps,
  notifications,
  market,
  rpc,
  replicas,
  checkpoints,
}: SharedOptions): Metrics {
  const metrics = createMetrics(() => indexerLag(deps, checkpoints));
  for (const metric of [...market.metrics, ...rpc.metrics]) metrics.registry.registerMetric(metric);
  createPoolMetrics(metrics.registry, { pg: deps.pool, ...replicas.pools });
  createNotificationMetrics(metrics.registry, [notifications]);
  reportLogAge(metrics.registry, () => readOldestUnreported(deps.pool), deps.now);
  return metrics;
}

/** Returns seconds since the indexed block's time, by chain. */
function indexerLag({ deployments, now }: Deps, checkpoints: Checkpoints): Map<number, number> {
  const lags = new Map<number, number>();
  for (const { chainId } of deployments.chains) {
    const block = checkpoints.last(chainId);
    if (block) lags.set(chainId, now() / 1000 - Number(block.timestamp));
  }
  return lags;
}

function createApiHealth(options: SharedOptions, metrics: Metrics): Health {
  const { market, replicas, metricsMaxAgeMs } = options;
  const { pool, chains, log } = options.deps;
  return createHealth({
    checks: databaseChecks(pool),
    chains: chainChecks(pool, chains),
    partial: [market.check, ...haltChecks(pool, [...chains.keys()]), ...replicaChecks(replicas.replicas)],
    metrics,
    log,
    metricsMaxAgeMs,
  });
}
