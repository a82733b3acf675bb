import type { DestinationStream } from "pino";
import { followProxies } from "./auth/trusted-proxies.ts";
import { buildDeps, buildReplicas } from "./build-deps.ts";
import { loadDeployments, requireDevelopmentChains } from "./config/deployments.ts";
import { parseEnv } from "./config/env.ts";
import type { Crash } from "./context/crash-points.ts";
import { readCheckpoints, watchCheckpoints } from "./db/checkpoint-watch.ts";
import { CHANNELS, listen } from "./db/notifications.ts";
import { listenOrStop, type Running } from "./http/lifecycle.ts";
import type { Timeouts } from "./http/server.ts";
import { createMarketData } from "./market-data/create.ts";
import { watchMarketData } from "./market-data/watch.ts";
import { createOperatorServer } from "./operator-server.ts";
import { createPublicServer } from "./public-server.ts";
import { createSharedParts, type SharedOptions } from "./shared-parts.ts";
import { createLog } from "./telemetry/log.ts";
import { createRpcTelemetry } from "./telemetry/rpc-metrics.ts";
import { webhookSettings } from "./webhooks/settings.ts";

/** Parts that tests replace. */
export interface ApiOverrides {
  now?: () => number;
  logTo?: DestinationStream;
  timeouts?: Partial<Timeouts>;
  streams?: SharedOptions["streamTiming"];
  database?: DatabaseTimeouts;
  metricsMaxAgeMs?: number;
  crash?: Crash;
}

/** Timeout of the database at the api's start, milliseconds: tests on a machine that stalls use more. */
export interface DatabaseTimeouts {
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
  /** Of each key that is read and each nonce that is claimed. */
  authTimeoutMs?: number;
}

export interface RunningApi extends Running {
  /** The operator's port: metrics, readiness in detail, /graphql and /dashboard. */
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
    masterKeys: env.MASTER_KEYS,
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
  // Prisma compiles its engine for its first query, and answers nothing for a third of a second: before the api is ready. It finds no row.
  void deps.prisma.keyOrder.findMany({ where: { claimId: { in: [] } } }).catch(() => undefined);
  const replicas = buildReplicas(deps, env.DATABASE_READ_URLS, pooling);
  const checkpoints = watchCheckpoints(() => readCheckpoints(deps.pool));
  const trustedProxies = await followProxies(env.TRUSTED_PROXIES, log);
  const shared = createSharedParts({
    env,
    deps,
    notifications,
    market,
    rpc,
    replicas,
    checkpoints,
    trustedProxies,
    timeouts: overrides.timeouts,
    streamTiming: overrides.streams,
    metricsMaxAgeMs: overrides.metricsMaxAgeMs,
  });
  const server = createPublicServer({ env, deps, shared, replicas, checkpoints, authTimeoutMs });
  const operator = await createOperatorServer(env, deps, shared);
  const stop = async () => {
    shared.health.shutDown();
    await Promise.all([server.stop(), operator.stop()]);
    await shared.stopStreams();
    checkpoints.stop();
    trustedProxies.stop();
    await notifications.close();
    await Promise.all([close(), replicas.close()]);
  };
  // The public port last: once it is open, everything else is.
  const operatorAddress = { HOST: env.OPERATOR_HOST, PORT: env.OPERATOR_PORT };
  const operatorUrl = await listenOrStop(operator, operatorAddress, stop);
  const url = await listenOrStop(server, env, stop);
  return { url, operatorUrl, log, stop };
}
