import type { Logger } from "pino";
import { schemaName } from "../indexer/build.ts";
import { type IndexerLine, type RunningIndexer, startIndexer } from "../indexer/run.ts";
import { analyzeTables, isBackfillDone } from "../indexer/statistics.ts";
import { isBeyondRepair, markUnusable, unusableReason } from "../indexer/unusable-schema.ts";
import { isReady, showBuild } from "../indexer/views.ts";
import { loadDeployments } from "./config/deployments.ts";
import { parseEnv } from "./config/env.ts";
import { requireFreePort } from "./lifecycle.ts";
import { createLog, scrub } from "./telemetry/log.ts";

/**
 * Runs Ponder for all chains of the deployments file, passes its log on, ends with it. A changed build writes beside the
 * old one (indexer/README.md). It is safe to kill and start again at any moment.
 * @returns the exit code
 */
export async function runIndexer(variables: NodeJS.ProcessEnv): Promise<number> {
  const env = parseEnv("indexer", variables);
  const log = createLog("indexer", env.LOG_LEVEL);
  const deployments = loadDeployments(env.DEPLOYMENTS_FILE, variables);
  const schema = schemaName(deployments);
  await requireFreePort(env.PORT, env.HOST);
  const reason = await unusableReason(env.DATABASE_URL, schema);
  if (reason !== null) {
    log.fatal({ schema, reason }, "refusing to start: the schema is marked unusable");
    return 1;
  }
  log.info({ schema, chains: deployments.chains.map(({ chainId }) => chainId) }, "starting the indexer");
  let lost = false;
  const ending = new AbortController();
  const indexer = startIndexer({
    schema,
    databaseUrl: env.DATABASE_URL,
    deploymentsFile: env.DEPLOYMENTS_FILE,
    host: env.HOST,
    port: env.PORT,
    env: variables,
    onLine: (line) => {
      pass(log, line);
      if (isBackfillDone(line)) void analyze(log, env.DATABASE_URL, schema);
      if (isReady(line)) void show(log, env.DATABASE_URL, schema, ending.signal);
      if (lost || !isBeyondRepair(line)) return;
      lost = true;
      void giveUp(log, indexer, env.DATABASE_URL, schema);
    },
  });
  const stop = () => void indexer.stop();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  // As the other programs: what started this one is gone when standard input closes.
  if (process.env.EXIT_WITH_PARENT === "1") process.stdin.once("close", stop).resume();
  const code = await indexer.exited;
  ending.abort();
  log.info({ code }, "the indexer has ended");
  return lost ? 1 : code;
}

/**
 * Marks the schema as unusable: once a chain has rewritten what counted as final, its tables hold blocks of no chain, and
 * nothing shows which.
 */
async function giveUp(
  log: Logger,
  indexer: RunningIndexer,
  databaseUrl: string,
  schema: string,
): Promise<void> {
  const reason = `a chain took back blocks that were final here; drop the schemas ${schema} and ponder_sync and start again`;
  log.fatal({ schema }, reason);
  await markUnusable(databaseUrl, schema, reason).catch((err: unknown) =>
    log.error({ err }, "the schema could not be marked"),
  );
  await indexer.stop();
}

/** Runs beside the creation of indexes, and ends before most of it; without it, reads are slow until autovacuum comes by. */
async function analyze(log: Logger, databaseUrl: string, schema: string): Promise<void> {
  try {
    await analyzeTables(databaseUrl, schema);
    log.info({ schema }, "gathered the planner's statistics of the new tables");
  } catch (err) {
    log.error({ err, schema }, "the new tables could not be analyzed; autovacuum will");
  }
}

/** Moves the views to this build; begins anew where the database fails, so that nothing but the end of the indexer ends it. */
async function show(log: Logger, databaseUrl: string, schema: string, signal: AbortSignal): Promise<void> {
  const onRetry = (err: unknown) =>
    log.warn({ err, schema }, "moving the views of the index failed; trying again");
  if (await showBuild({ databaseUrl, schema, signal, onRetry }))
    log.info({ schema }, "the views show this build");
}

/** Passes a line on, save one per block: that is more than a log needs. */
function pass(log: Logger, { level, msg, fields }: IndexerLine): void {
  log[msg === "Indexed block" ? "debug" : level](fields, scrub(msg));
}
