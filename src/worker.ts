import type { DestinationStream } from "pino";
import { createKeyExpiryMetric } from "./auth/key-expiry.ts";
import { removeExpiredNonces } from "./auth/nonce-store.ts";
import { endRotations } from "./auth/rotation-store.ts";
import { buildDeps } from "./build-deps.ts";
import type { Consumer } from "./changes/consumer.ts";
import { startChangeReaders } from "./changes/reader.ts";
import { createAttributionWatch } from "./claims/attribution/watch.ts";
import { expireDroppedClaims } from "./claims/expiry-store.ts";
import { claimJobs } from "./claims/watch.ts";
import { loadDeployments } from "./config/deployments.ts";
import { parseEnv } from "./config/env.ts";
import type { Crash } from "./context/crash-points.ts";
import type { Deps } from "./context/deps.ts";
import { type Job, startJobs } from "./context/jobs.ts";
import { createQuoteKeeper } from "./dashboard/overview/order-quotes.ts";
import { removeOldSamples, sampleGauges, untilNextMinute } from "./dashboard/overview/sampler.ts";
import { markSeen, SEEN_EVERY_MS } from "./dashboard/problems/seen-store.ts";
import { CHANNELS, listen, type NotificationStream } from "./db/notifications.ts";
import { createPartitionMetrics, keepPartitions, PARTITION_DAYS } from "./db/partitions.ts";
import { createNotificationMetrics, createPoolMetrics } from "./db/pool-metrics.ts";
import { createServerMetrics } from "./db/server-metrics.ts";
import { DISTRIBUTIONS } from "./events/distributions.ts";
import { reportExpiringKeys } from "./events/expiry-store.ts";
import { createEventMetrics } from "./events/metrics.ts";
import { reportNotices } from "./events/notices.ts";
import { createStatusReporter } from "./events/status-changes.ts";
import { readDueChains } from "./events/writer/changes-store.ts";
import { removeExpiredEvents } from "./events/writer/log-store.ts";
import { createEventWriter } from "./events/writer/write.ts";
import { createApp } from "./http/app.ts";
import { createHealth } from "./http/health.ts";
import { listenOrStop, type Running } from "./http/lifecycle.ts";
import { createMetrics } from "./http/metrics.ts";
import { databaseChecks, haltChecks, jobsCheck } from "./http/readiness.ts";
import { createHttpServer } from "./http/server.ts";
import { createMarketData } from "./market-data/create.ts";
import { switchJobs } from "./orders/cancel-after-job.ts";
import { retirementJobs } from "./sending/retirement/job.ts";
import { createSendMetrics } from "./sending/sender/metrics.ts";
import { startSenders } from "./sending/sender/start.ts";
import { checkKeys } from "./sending/signer/device.ts";
import { addSigners, loadDevice, loadSigners } from "./sending/signer/load.ts";
import { createLog } from "./telemetry/log.ts";
import { createRpcTelemetry } from "./telemetry/rpc-metrics.ts";

/** Parts that tests replace. */
export interface WorkerOverrides {
  now?: () => number;
  logTo?: DestinationStream;
  crash?: Crash;
}

/**
 * Starts the worker, which does what no request asks for. Any number of workers may run at once.
 * @throws Error naming what is wrong with the environment or the deployments file
 */
export async function start(
  environment: NodeJS.ProcessEnv,
  overrides: WorkerOverrides = {},
): Promise<Running> {
  const env = parseEnv("worker", environment);
  const inMemory = loadSigners({
    keys: env.SENDER_KEYS,
    keysFile: env.SENDER_KEYS_FILE,
    keystoreFiles: env.SENDER_KEYSTORES,
    keystorePassword: env.SENDER_KEYSTORE_PASSWORD,
    keystorePasswordFile: env.SENDER_KEYSTORE_PASSWORD_FILE,
  });
  const deployments = loadDeployments(env.DEPLOYMENTS_FILE, environment);
  const device = await loadDevice({
    driver: env.SENDER_HSM_DRIVER,
    token: env.SENDER_HSM_TOKEN,
    keys: env.SENDER_HSM_KEYS,
    pin: env.SENDER_HSM_PIN,
    pinFile: env.SENDER_HSM_PIN_FILE,
  });
  const signers = addSigners(inMemory, device?.keys ?? []);
  const { now = Date.now } = overrides;
  const log = createLog("worker", env.LOG_LEVEL, overrides.logTo);
  const rpc = createRpcTelemetry();
  const { deps: built, close } = buildDeps({
    databaseUrl: env.DATABASE_URL,
    connections: env.DATABASE_POOL_MAX,
    preparedStatements: env.DATABASE_PREPARED_STATEMENTS,
    deployments,
    marketData: createMarketData(env, log, now),
    attributionKeys: env.ATTRIBUTION_KEYS,
    webhooks: noWebhooks,
    rpc,
    log,
    now,
  });
  const deps = { ...built, crash: overrides.crash };
  const metrics = createMetrics(() => new Map());
  for (const metric of rpc.metrics) metrics.registry.registerMetric(metric);
  createPoolMetrics(metrics.registry, { pg: deps.pool });
  createPartitionMetrics(metrics.registry, deps.pool);
  createServerMetrics(metrics.registry, deps.pool);
  createKeyExpiryMetric(metrics.registry, deps.pool);
  const writeEvents = createEventWriter(deps, {
    onAppended: createEventMetrics(metrics.registry),
    moreSources: env.KEY_AND_STATUS_EVENTS ? [DISTRIBUTIONS] : [],
  });
  const jobs = startJobs(
    [
      ...jobsOf(deps, writeEvents, env.EVENT_RETENTION_DAYS),
      ...(env.KEY_AND_STATUS_EVENTS ? reportsOf(deps) : []),
    ],
    log,
  );
  const sends = createSendMetrics(metrics.registry, deps.pool);
  const listenUrl = env.DATABASE_LISTEN_URL ?? env.DATABASE_URL;
  const workNotifications = listen(listenUrl, CHANNELS.work, log);
  const indexNotifications = listen(listenUrl, [CHANNELS.index, CHANNELS.due], log);
  createNotificationMetrics(metrics.registry, [workNotifications, indexNotifications]);
  const stopWriting = writeWhatIsDue(deps, indexNotifications, writeEvents);
  const readers = startChangeReaders(deps, {
    chainIds: deployments.chains.map(({ chainId }) => chainId),
    consumers: consumersOf(deps, writeEvents),
    notifications: blocksOf(indexNotifications),
  });
  const senders = startSenders(deps, {
    signers,
    workNotifications,
    rpc,
    onAlarm: sends.alarm,
    onReached: sends.reached,
  });
  const health = createHealth({
    checks: [...databaseChecks(deps.pool), jobsCheck(jobs, readers)],
    partial: [
      ...haltChecks(
        deps.pool,
        deployments.chains.map(({ chainId }) => chainId),
      ),
      ...(device ? [{ name: "keys of wallets in a device", run: () => checkKeys(device.keys) }] : []),
    ],
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
    stopWriting();
    await senders.stop();
    device?.close();
    await Promise.all([jobs.stop(), readers.stop()]);
    const listening = [workNotifications, indexNotifications];
    await Promise.all(listening.map((notifications) => notifications.close()));
    await server.stop();
    await close();
  };
  return { url: await listenOrStop(server, env, stop), log, stop };
}

const MINUTE_MS = 60_000;

type WriteEvents = ReturnType<typeof createEventWriter>;

function jobsOf(deps: Deps, writeEvents: WriteEvents, eventDays: number): Job[] {
  return [
    { name: "alive", everyMs: SEEN_EVERY_MS, run: () => markSeen(deps.pool, "worker") },
    { name: "expired nonces", everyMs: MINUTE_MS, run: () => removeExpiredNonces(deps.pool) },
    { name: "ended rotations", everyMs: MINUTE_MS, run: () => endRotations(deps.pool) },
    ...switchJobs(deps),
    ...retirementJobs(deps),
    { name: "dropped claims", everyMs: MINUTE_MS, run: () => expireDroppedClaims(deps) },
    ...claimJobs(deps),
    {
      name: "events of claims",
      everyMs: 1_000,
      // No block wakes the log for what a caller records.
      run: async () => Promise.all((await readDueChains(deps.pool)).map(writeEvents)),
    },
    {
      name: "partitions",
      everyMs: 10 * MINUTE_MS,
      run: () => keepPartitions(deps.pool, deps.log, { days: eventDays }),
    },
    {
      name: "expired events",
      everyMs: 10 * MINUTE_MS,
      run: () => removeExpiredEvents(deps.pool, { days: eventDays + PARTITION_DAYS }),
    },
    { name: "samples", everyMs: async () => untilNextMinute(deps), run: () => sampleGauges(deps) },
    { name: "quotes of orders", everyMs: 2_000, run: createQuoteKeeper(deps) },
    { name: "old samples", everyMs: 60 * MINUTE_MS, run: () => removeOldSamples(deps) },
  ];
}

/** Returns the jobs that write types of events which the version before cannot read (docs/operations/upgrade.md). */
function reportsOf(deps: Deps): Job[] {
  const { pool, deployments } = deps;
  const chainIds = deployments.chains.map(({ chainId }) => chainId);
  return [
    { name: "expiring keys", everyMs: MINUTE_MS, run: () => reportExpiringKeys(pool, chainIds) },
    { name: "maintenance notices", everyMs: 5_000, run: () => reportNotices(pool, chainIds) },
    { name: "changes of status", everyMs: 15_000, run: createStatusReporter(deps) },
  ];
}

/** Writes the rows that a caller waits for (src/claims/await-rows.ts). @returns a function that ends it */
function writeWhatIsDue(
  { log, deployments }: Deps,
  notifications: NotificationStream,
  writeEvents: WriteEvents,
): () => void {
  const chainIds = new Map(deployments.chains.map(({ chainId }) => [String(chainId), chainId]));
  return notifications.subscribe((payload, channel) => {
    const chainId = channel === CHANNELS.due ? chainIds.get(payload ?? "") : undefined;
    if (chainId === undefined) return;
    writeEvents(chainId).catch((err) =>
      log.warn({ err, chainId }, "the rows of a claim are not written yet"),
    );
  });
}

/** Returns the notifications of blocks alone, and of their loss. */
const blocksOf = (notifications: NotificationStream): Pick<NotificationStream, "subscribe"> => ({
  subscribe: (listener) =>
    notifications.subscribe((payload, channel) => {
      if (channel !== CHANNELS.due) listener(payload, channel);
    }),
});

/** Returns what follows from the indexed blocks of a chain. */
function consumersOf(deps: Deps, writeEvents: WriteEvents): Consumer[] {
  const attribute = createAttributionWatch(deps);
  return [
    {
      name: "attributions",
      run: async (chainId) => {
        const progress = await attribute(chainId);
        // Their claims came after the block that woke the log.
        if (progress.seen > 0) await writeEvents(chainId);
        return progress;
      },
    },
    { name: "events", run: writeEvents },
  ];
}

/** It makes, tests and delivers no webhook. */
const noWebhooks: Deps["webhooks"] = { keys: [], allowLoopback: false, resolve: async () => [] };
