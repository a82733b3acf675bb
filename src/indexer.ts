import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { schemaName } from "../indexer/build.ts";
import { type ChainIndexer, createChainIndexer } from "../indexer/chain.ts";
import { mergeMetrics } from "../indexer/metrics.ts";
import type { IndexerLine } from "../indexer/run.ts";
import { loadDeployments, selectChains } from "./config/deployments.ts";
import { parseEnv } from "./config/env.ts";
import { createApp } from "./http/app.ts";
import { createHealth } from "./http/health.ts";
import { createMetrics } from "./http/metrics.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import { createLog, scrub } from "./telemetry/log.ts";

/** Before an ended process of a chain starts again, milliseconds: twice as long each time, and short again after it has run for long. */
const PAUSE_MS = { first: 1_000, last: 30_000 };
const LONG_MS = 60_000;

/**
 * Runs Ponder for each chain of the deployments file, or of INDEXER_CHAINS, in a process and a schema of its own; passes their logs on,
 * and answers for all of them. A changed build writes beside the old one (indexer/README.md). It is safe to kill and start again at any
 * moment.
 * @returns the exit code
 */
export async function runIndexer(variables: NodeJS.ProcessEnv): Promise<number> {
  const env = parseEnv("indexer", variables);
  const log = createLog("indexer", env.LOG_LEVEL);
  const deployments = loadDeployments(env.DEPLOYMENTS_FILE, variables);
  const builds = new Map(deployments.chains.map((chain) => [chain.chainId, schemaName(chain)]));
  const chains = selectChains(deployments, env.INDEXER_CHAINS).map((chain) =>
    createChainIndexer({
      chain,
      builds,
      databaseUrl: env.DATABASE_URL,
      deploymentsFile: env.DEPLOYMENTS_FILE,
      env: variables,
      log,
      pass,
    }),
  );
  const server = createServer(chains, log);
  const url = await server.listen(env.PORT, env.HOST);
  log.info({ url, schemas: chains.map(({ chainId }) => builds.get(chainId)) }, "starting the indexer");

  const ending = new AbortController();
  const stop = () => {
    ending.abort();
    for (const chain of chains) void chain.stop();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  // As the other programs: what started this one is gone when standard input closes.
  if (process.env.EXIT_WITH_PARENT === "1") process.stdin.once("close", stop).resume();
  const code = await keepRunning(chains, log, ending.signal);
  await server.stop();
  log.info({ code }, "the indexer has ended");
  return code;
}

/** Passes a line on, save one per block: that is more than a log needs. */
function pass(log: Logger, { level, msg, fields }: IndexerLine): void {
  log[msg === "Indexed block" ? "debug" : level](fields, scrub(msg));
}

/** Creates the server of /livez, of /readyz, which names the chains that are not ready, and of /metrics with those of all processes. */
function createServer(chains: readonly ChainIndexer[], log: Logger): HttpServer {
  const metrics = createMetrics(() => new Map());
  const health = createHealth({
    checks: chains.map(({ chainId, ask }) => ({
      name: `index of chain ${chainId}`,
      run: async () => void (await ask("/readyz")),
    })),
    metrics,
    log,
    async render() {
      const asked = await Promise.allSettled(
        chains.map(async ({ chainId, ask }) => [chainId, await ask("/metrics")] as const),
      );
      const answered = asked.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      return mergeMetrics(await metrics.registry.metrics(), new Map(answered));
    },
  });
  const now = Date.now;
  const app = createApp([health.router], ["/livez", "/readyz", "/metrics"], now);
  return createHttpServer({ log, metrics, now, prefix: "", app });
}

/**
 * Runs the indexers of all chains until the signal, or until none runs. One that has ended is started again while another one runs: what
 * ended it is the matter of its chain.
 * @returns the largest of their exit codes
 * @throws Error of the one that failed last, where none could be started
 */
async function keepRunning(
  chains: readonly ChainIndexer[],
  log: Logger,
  signal: AbortSignal,
): Promise<number> {
  const running = new Set(chains);
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const keep = async (chain: ChainIndexer): Promise<number> => {
    let pauseMs = PAUSE_MS.first;
    while (true) {
      const startedMs = performance.now();
      const code = await chain.run().catch((error: unknown) => {
        if (signal.aborted) return 0;
        if (running.size === 1) throw error;
        log.error({ err: error, chainId: chain.chainId }, "the indexer of a chain could not start");
        return 1;
      });
      running.delete(chain);
      if (running.size === 0) ended.abort();
      if (over.aborted) return code;
      if (performance.now() - startedMs > LONG_MS) pauseMs = PAUSE_MS.first;
      log.warn(
        { chainId: chain.chainId, code, pauseMs },
        "the indexer of a chain has ended; it starts again",
      );
      await delay(pauseMs, undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return signal.aborted ? 0 : code;
      pauseMs = Math.min(2 * pauseMs, PAUSE_MS.last);
      running.add(chain);
    }
  };
  return Math.max(...(await Promise.all(chains.map(keep))));
}
