// Runs Ponder for one chain. By the lines of its log, analyzes new tables, moves the views, and gives up a schema that cannot be trusted.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { ChainConfig } from "../src/config/deployments.ts";
import { type IndexerLine, type RunningIndexer, startIndexer, urlOf } from "./run.ts";
import { analyzeTables, isBackfillDone } from "./statistics.ts";
import { isBeyondRepair, markUnusable, unusableReason } from "./unusable-schema.ts";
import { type Builds, isReady, showBuild } from "./views.ts";

export interface ChainOptions {
  chain: ChainConfig;
  /** The schema of each chain of the deployments file (build.ts). */
  builds: Builds;
  databaseUrl: string;
  deploymentsFile: string;
  env: NodeJS.ProcessEnv;
  log: Logger;
  /** Writes a line of Ponder's log. */
  pass: (log: Logger, line: IndexerLine) => void;
}

export interface ChainIndexer {
  chainId: number;
  /**
   * Runs Ponder until it ends, or says why it must not run.
   * @returns its exit code
   */
  run(): Promise<number>;
  /** Ends Ponder in order, and waits. */
  stop(): Promise<void>;
  /** Asks Ponder's server. @throws Error where it does not answer with 200, with what it says */
  ask(path: string): Promise<string>;
}

const ASK_MS = 2_000;
/** A process whose server does not answer for so long hangs, and is ended. */
const HUNG_MS = 60_000;
const WATCH_MS = 10_000;
const RETRY_MS = 1_000;

/** @throws Error where `builds` lacks the chain */
export function createChainIndexer(options: ChainOptions): ChainIndexer {
  const { chain, builds, databaseUrl, pass } = options;
  const { chainId } = chain;
  const schema = buildOf(builds, chainId);
  const log = options.log.child({ chainId });
  const ending = new AbortController();
  let ponder: RunningIndexer | null = null;
  /** When its server answered last, or there was none to ask; milliseconds, monotonic. */
  let answeredMs = performance.now();
  let url: string | null = null;
  /** Why the schema must not be used, as it was last said in the log. */
  let said: string | null = null;
  /** True once the views have shown this build, since this process began. */
  let wasShown = false;

  async function run(): Promise<number> {
    const reason = await unusableReason(databaseUrl, schema);
    if (reason !== null) {
      if (reason !== said) log.fatal({ schema, reason }, "not starting: the schema is marked unusable");
      said = reason;
      return 1;
    }
    if (ending.signal.aborted) return 0;
    const showing = new AbortController();
    let isLost = false;
    const started = startIndexer({
      ...options,
      chainId,
      schema,
      onLine(line) {
        pass(log, line);
        url = urlOf(line) ?? url;
        if (isBackfillDone(line)) void analyze(log, databaseUrl, schema);
        if (isReady(line)) void show(AbortSignal.any([showing.signal, ending.signal]));
        if (isLost || !isBeyondRepair(line)) return;
        isLost = true;
        void giveUp(started);
      },
    });
    ponder = started;
    answeredMs = performance.now();
    log.info({ schema, pid: started.pid }, "Ponder has started");
    const watch = setInterval(() => void endHung(started), WATCH_MS);
    const code = await started.exited;
    clearInterval(watch);
    showing.abort();
    [ponder, url] = [null, null];
    log.info({ code }, "Ponder has ended");
    if (!isLost) return code;
    await close();
    return 1;
  }

  /** Ends a process whose server has not answered for a minute, as a probe would: it is started again. */
  async function endHung(running: RunningIndexer): Promise<void> {
    try {
      if (url !== null) await ask("/livez");
      answeredMs = performance.now();
    } catch (err) {
      if (performance.now() - answeredMs < HUNG_MS || ponder !== running) return;
      log.error({ err }, "Ponder hangs: ending it");
      await running.stop();
    }
  }

  /**
   * Moves the views to this build; begins anew where the database fails, so that nothing but the end of Ponder ends it. A Ponder that has
   * ended and starts again leaves them where they have moved on to another build.
   */
  async function show(signal: AbortSignal): Promise<void> {
    const onRetry = (err: unknown) =>
      log.warn({ err, schema }, "moving the views of the index failed; trying again");
    if (await showBuild({ databaseUrl, chainId, builds, yields: wasShown, signal, onRetry }))
      log.info({ schema }, "the views show this build");
    if (!signal.aborted) wasShown = true;
  }

  /**
   * Marks the schema as unusable: once a chain has rewritten what counted as final, its tables hold blocks of no chain, and nothing shows
   * which.
   */
  async function giveUp(running: RunningIndexer): Promise<void> {
    said = `the chain took back blocks that were final here; put the schema ${schema} aside (indexer-deep-reorg.md)`;
    log.fatal({ schema }, said);
    // Readers leave it at once where the database answers; close() goes on otherwise.
    await markUnusable(databaseUrl, schema, said).catch(() => undefined);
    await running.stop();
  }

  /** Marks the schema for good, once nothing writes it: until that is done, nothing starts on it. */
  async function close(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        return await markUnusable(databaseUrl, schema, said ?? "");
      } catch (err) {
        log.error({ err }, "the schema could not be marked unusable; trying again");
        await delay(RETRY_MS);
      }
    }
  }

  async function ask(path: string): Promise<string> {
    if (url === null) throw new Error(said ?? "Ponder has not started");
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(ASK_MS) });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  return {
    chainId,
    run,
    async stop() {
      ending.abort();
      await ponder?.stop();
    },
    ask,
  };
}

function buildOf(builds: Builds, chainId: number): string {
  const schema = builds.get(chainId);
  if (schema === undefined) throw new Error(`there is no build of chain ${chainId}`);
  return schema;
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
