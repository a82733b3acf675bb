import type { DestinationStream } from "pino";
import { ENDPOINTS, STREAMS } from "./api/endpoints.ts";
import { buildApiSchema } from "./api/schema.ts";
import { createAuthenticator } from "./auth/authenticate.ts";
import { createDashboardAuthenticator } from "./auth/dashboard/authenticate.ts";
import { createInFlightLimit } from "./auth/in-flight.ts";
import { createFailureLimit } from "./auth/rate-limits.ts";
import { type BuiltReplicas, buildDeps, buildReplicas } from "./build-deps.ts";
import { readShownBlocks } from "./claims/shown.ts";
import { loadDeployments, requireDevelopmentChains } from "./config/deployments.ts";
import { type Env, parseEnv } from "./config/env.ts";
import type { Crash } from "./context/crash-points.ts";
import type { Deps } from "./context/deps.ts";
import { createReplicas } from "./context/replicas.ts";
import { createRequestCounts, type RequestCounts } from "./dashboard/overview/request-counts.ts";
import { createDashboardPage, DASHBOARD_PATHS } from "./dashboard-page/serve.ts";
import { type Blocks, type Checkpoints, readCheckpoints, watchCheckpoints } from "./db/checkpoint-watch.ts";
import { CHANNELS, listen, type NotificationStream } from "./db/notifications.ts";
import { createPoolMetrics } from "./db/pool-metrics.ts";
import { createErrorPages, ERROR_PAGE_PATHS } from "./docs-page/errors/serve.ts";
import { createDocsPage, DOCS_PATHS } from "./docs-page/serve.ts";
import { readOldestUnreported } from "./events/age-store.ts";
import { eventStreamShape, operatorStreamShape } from "./events/input.ts";
import { createStreamMetrics, reportLogAge } from "./events/metrics.ts";
import { createEventStreams, type StreamTiming } from "./events/stream/streams.ts";
import { createApi } from "./http/api.ts";
import { createApp } from "./http/app.ts";
import { createGraphql } from "./http/graphql/server.ts";
import { createHealth } from "./http/health.ts";
import { createKeptAnswers } from "./http/kept-answers.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { createDocument, printDocument } from "./http/openapi/document.ts";
import { createOperatorStream } from "./http/operator-stream.ts";
import { chainChecks, databaseChecks, haltChecks, replicaChecks } from "./http/readiness.ts";
import { requireDashboard } from "./http/require-dashboard.ts";
import { createRest } from "./http/rest/sofa.ts";
import { createHttpServer, type Timeouts } from "./http/server.ts";
import { compress, type StaticFile, serveFiles } from "./http/static-files.ts";
import { listenOrStop, type Running } from "./lifecycle.ts";
import { createLog } from "./log/log.ts";
import { createMarketData } from "./market-data/create.ts";
import { type WatchedMarketData, watchMarketData } from "./market-data/watch.ts";
import { createRpcTelemetry, type RpcTelemetry } from "./telemetry/rpc-metrics.ts";
import { webhookSettings } from "./webhooks/settings.ts";

/** Paths of the public port beside the partner API, without authentication. */
const PUBLIC_PATHS = ["/livez", "/readyz", "/openapi.json", ...DOCS_PATHS, ...ERROR_PAGE_PATHS];
const OPERATOR_STREAM = "/events/stream";
/** Paths of the operator's port. Only /graphql and the stream ask for authentication. */
const OPERATOR_PATHS = ["/livez", "/readyz", "/metrics", "/graphql", OPERATOR_STREAM, ...DASHBOARD_PATHS];

/** Parts that tests replace. */
export interface ApiOverrides {
  now?: () => number;
  logTo?: DestinationStream;
  timeouts?: Partial<Timeouts>;
  streams?: Partial<StreamTiming>;
  database?: DatabaseTimeouts;
  metricsMaxAgeMs?: number;
  crash?: Crash;
}

/** How long the api waits for its database, milliseconds: a test on a machine that stands still at times waits longer. */
export interface DatabaseTimeouts {
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
  /** Of each key that is read and each nonce that is claimed. */
  authTimeoutMs?: number;
}

export interface RunningApi extends Running {
  /** Where metrics, readiness in detail, /graphql and /dashboard are answered. */
  operatorUrl: string;
}

/**
 * Starts the api: REST behind HMAC on the public port; metrics, readiness, /graphql and the dashboard on the operator's.
 * It starts while database, nodes or indexer are down, and /readyz reports it.
 * @throws Error naming what is wrong with the environment or the deployments file
 */
export async function start(
  environment: NodeJS.ProcessEnv,
  overrides: ApiOverrides = {},
): Promise<RunningApi> {
  const env = parseEnv("api", environment);
  const deployments = loadDeployments(env.DEPLOYMENTS_FILE, environment);
  if (env.SANDBOX_AUTH_CAUSE) requireDevelopmentChains("SANDBOX_AUTH_CAUSE", deployments);
  if (env.WEBHOOK_LOOPBACK) requireDevelopmentChains("WEBHOOK_LOOPBACK", deployments);
  const { now = Date.now, database: { authTimeoutMs, ...databaseTimeouts } = {} } = overrides;
  const log = createLog("api", env.LOG_LEVEL, overrides.logTo);
  const notifications = listen(
    env.DATABASE_LISTEN_URL ?? env.DATABASE_URL,
    [CHANNELS.state, CHANNELS.events, CHANNELS.tested],
    log,
  );
  const market = watchMarketData(createMarketData(env, log, now), env.MARKET_DATA_PROVIDER);
  const rpc = createRpcTelemetry();
  const pooling = {
    connections: env.DATABASE_POOL_MAX,
    preparedStatements: env.DATABASE_PREPARED_STATEMENTS,
  };
  const { deps: built, close } = buildDeps({
    databaseUrl: env.DATABASE_URL,
    ...pooling,
    ...databaseTimeouts,
    deployments,
    marketData: market.marketData,
    attributionKeys: env.ATTRIBUTION_KEYS,
    webhooks: webhookSettings(env),
    limits: {
      reads: env.RATE_LIMIT_READS,
      writes: env.RATE_LIMIT_WRITES,
      inFlight: env.RATE_LIMIT_IN_FLIGHT,
    },
    rpc,
    log,
    now,
  });
  const deps = { ...built, notifications, crash: overrides.crash };
  // Prisma compiles its engine for its first query, which takes a third of a second in which no request is answered: not those of partners.
  void deps.prisma.keyOrder.findFirst({ select: { claimId: true } }).catch(() => undefined);
  const replicas = buildReplicas(deps, env.DATABASE_READ_URLS, pooling);
  const checkpoints = watchCheckpoints(() => readCheckpoints(deps.pool));
  const shown = watchCheckpoints(() => readShownBlocks(deps.pool));
  const counts = createRequestCounts({ pool: deps.pool, log, now, except: PUBLIC_PATHS });
  const introspection = env.NODE_ENV === "development";
  const { server, operator, health, streams } = await createServers({
    env,
    deps,
    replicas,
    rpc,
    market,
    notifications,
    checkpoints,
    shown,
    counts,
    introspection,
    timeouts: overrides.timeouts,
    timing: overrides.streams,
    authTimeoutMs,
    metricsMaxAgeMs: overrides.metricsMaxAgeMs,
  });
  const stop = async () => {
    health.shutDown();
    await Promise.all([server.stop(), operator.stop()]);
    streams.stop();
    checkpoints.stop();
    shown.stop();
    await notifications.close();
    await counts.stop();
    await Promise.all([close(), replicas.close()]);
  };
  // The public port last: once it is open, everything else is.
  const operatorAddress = { HOST: env.OPERATOR_HOST, PORT: env.OPERATOR_PORT };
  const operatorUrl = await listenOrStop(operator, operatorAddress, stop);
  const url = await listenOrStop(server, env, stop);
  return { url, operatorUrl, log, stop };
}

interface ServerParts {
  env: Env<"api">;
  deps: Deps;
  replicas: BuiltReplicas;
  rpc: RpcTelemetry;
  market: WatchedMarketData;
  checkpoints: Checkpoints;
  shown: Blocks;
  counts: RequestCounts;
  notifications: NotificationStream;
  introspection: boolean;
  timeouts: Partial<Timeouts> | undefined;
  timing: Partial<StreamTiming> | undefined;
  authTimeoutMs: number | undefined;
  metricsMaxAgeMs: number | undefined;
}

async function createServers(parts: ServerParts) {
  const { env, deps, market, checkpoints, shown, counts, introspection, timeouts, replicas } = parts;
  const { now, log, pool, deployments, chains } = deps;
  const metrics = createMetrics(() => indexerLag(deps, checkpoints));
  for (const metric of [...market.metrics, ...parts.rpc.metrics]) metrics.registry.registerMetric(metric);
  createPoolMetrics(metrics.registry, { pg: deps.pool, ...replicas.pools });
  reportLogAge(metrics.registry, () => readOldestUnreported(pool), now);
  const health = createHealth({
    checks: databaseChecks(pool),
    chains: chainChecks(pool, chains),
    partial: [
      ...[market.check, ...haltChecks(pool, [...chains.keys()])],
      ...replicaChecks(replicas.replicas),
    ],
    metrics,
    log,
    ...(parts.metricsMaxAgeMs === undefined ? {} : { metricsMaxAgeMs: parts.metricsMaxAgeMs }),
  });
  const schema = buildApiSchema();
  const failures = createFailureLimit(env.RATE_LIMIT_FAILURES);
  const dashboard = requireDashboard({
    authenticate: createDashboardAuthenticator({ pool, tokens: env.DASHBOARD_TOKENS, log, now }),
    ...{ failures, trustedProxies: env.TRUSTED_PROXIES, metrics, now },
  });
  const graphql = await createGraphql({ schema, deps, introspection, requireDashboard: dashboard });
  const authenticate = createAuthenticator({
    pool,
    masterKeys: env.MASTER_KEYS,
    deployments,
    trustedProxies: env.TRUSTED_PROXIES,
    limits: deps.limits,
    inFlight: createInFlightLimit(deps.limits.inFlight),
    failures,
    preparedStatements: env.DATABASE_PREPARED_STATEMENTS,
    timeoutMs: parts.authTimeoutMs,
    now,
  });
  const streams = createEventStreams({
    ...{ pool, log, now, checkpoints, notifications: parts.notifications },
    metrics: createStreamMetrics(metrics.registry),
    chainIds: deployments.chains.map(({ chainId }) => chainId),
    perKeyMax: env.EVENT_STREAMS_PER_KEY,
    max: env.EVENT_STREAMS_MAX,
    ...(parts.timing ? { timing: parts.timing } : {}),
  });
  const document = createDocument({
    ...{ schema, endpoints: ENDPOINTS, streams: STREAMS, prefix: env.PATH_PREFIX },
  });
  const printed = Buffer.from(printDocument(document));
  const shared = {
    ...{ log, metrics, now, prefix: env.PATH_PREFIX, docsUrl: env.DOCS_URL ?? null },
    ...(timeouts ? { timeouts } : {}),
    onDrain: streams.stop,
  };
  const routes = [...ENDPOINTS, ...STREAMS];
  const registerApi = createApi({
    ...{ deps, routes, document, authenticate, checkpoints, shown, metrics },
    rest: createRest(schema, ENDPOINTS),
    stream: { inputs: namesOf(eventStreamShape), open: streams.open },
    kept: createKeptAnswers(env.KEPT_ANSWERS_MB * 1024 * 1024),
    replicas: replicas.replicas.length > 0 ? createReplicas(replicas.replicas, metrics.replicaRead) : null,
    authCause: env.SANDBOX_AUTH_CAUSE,
  });
  const publicRouters = [
    ["/", health.publicRouter] as const,
    ["/", serveFiles([documentFile(printed)])] as const,
    ["/", createDocsPage()] as const,
    ["/", createErrorPages(env.DOCS_URL)] as const,
  ];
  const server = createHttpServer({
    ...shared,
    metrics: counted(metrics, counts),
    connectionsMax: env.CONNECTIONS_MAX,
    app: createApp(publicRouters, PUBLIC_PATHS, now, registerApi),
  });
  const operatorStream = { inputs: namesOf(operatorStreamShape), open: streams.openAll };
  const operatorRouters = [
    ["/", health.router] as const,
    ["/", createDashboardPage()] as const,
    ["/graphql", graphql] as const,
    ["/", createOperatorStream(OPERATOR_STREAM, operatorStream, dashboard)] as const,
  ];
  const operator = createHttpServer({ ...shared, app: createApp(operatorRouters, OPERATOR_PATHS, now) });
  return { server, operator, health, streams };
}

/** Returns metrics that are counted for the dashboard, too. */
const counted = (metrics: Metrics, counts: RequestCounts): Metrics => ({
  ...metrics,
  observe: (request) => {
    metrics.observe(request);
    counts.observe(request);
  },
});

/** Clients may keep the document for five minutes, and then ask whether it has changed. */
const documentFile = (content: Buffer): StaticFile => ({
  path: "/openapi.json",
  type: "application/json; charset=utf-8",
  cacheControl: "public, max-age=300",
  content,
  encoded: compress(content),
});

const namesOf = ({ shape }: { shape: object }): ReadonlySet<string> => new Set(Object.keys(shape));

/** Seconds since the indexed block's time, by chain. */
function indexerLag({ deployments, now }: Deps, checkpoints: Checkpoints): Map<number, number> {
  const lags = new Map<number, number>();
  for (const { chainId } of deployments.chains) {
    const block = checkpoints.last(chainId);
    if (block) lags.set(chainId, now() / 1000 - Number(block.timestamp));
  }
  return lags;
}
