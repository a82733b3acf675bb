import { setTimeout as delay } from "node:timers/promises";
import closeWithGrace from "close-with-grace";
import type { Logger } from "pino";
import { VERSION } from "../config/version.ts";
import { scrub } from "../telemetry/log.ts";
import { startTracing } from "../telemetry/start.ts";
import type { HttpServer } from "./server.ts";

/** A program that has started. */
export interface Running {
  /** The URL of its HTTP server. */
  url: string;
  log: Logger;
  /** Finishes what is in flight, and releases all resources. */
  stop(): Promise<void>;
}

/** Longest time from the signal to the end of the process, milliseconds; a drain is shorter (see http/server.ts). */
export const GRACE_MS = 30_000;
/** Longest time for closing what a failed start has opened, milliseconds: the process is gone within five seconds. */
const CLOSE_MS = 3_000;

/**
 * Runs a program until SIGTERM or SIGINT, then stops it gracefully and exits 0. A program that cannot start prints why in
 * one message on standard error, without a stack, and exits 1, whatever it has opened by then.
 * Makes traces where the environment asks for them.
 * With EXIT_WITH_PARENT=1 it also stops when standard input closes, as it does when the parent dies.
 */
export async function runProgram(
  start: (env: NodeJS.ProcessEnv) => Promise<Running>,
  env: NodeJS.ProcessEnv,
  program: string,
): Promise<void> {
  // Before anything that makes spans is made.
  const tracing = await startTracing(program, VERSION, env);
  const running = await start(env).catch(exitFailed);
  const { log, url } = running;
  tracing.reportTo(log);
  const grace = closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, "stopping: uncaught error");
    else log.info({ signal }, "stopping");
    await running.stop();
    await tracing.stop();
    log.info("stopped");
  });
  if (env.EXIT_WITH_PARENT === "1") process.stdin.once("close", () => grace.close()).resume();
  // Whoever reads this may send a signal at once.
  log.info({ url }, "listening");
}

/** Runs a program that ends by itself, and exits with the code that it returns; 1 where it fails, as runProgram does. */
export async function runToEnd(main: () => Promise<number>): Promise<never> {
  process.exit(await main().catch(exitFailed));
}

/** Writes to standard error are complete when they return, and the system closes what is still open. */
function exitFailed(error: unknown): never {
  process.stderr.write(`${scrub(reasonOf(error))}\n`);
  process.exit(1);
}

/** Returns why something failed. A connection that was tried at several addresses fails with an error for each. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** Opens the server's port. Where that fails (the port is taken), closes what is open first, for three seconds at most. */
export async function listenOrStop(
  server: HttpServer,
  { PORT, HOST }: { PORT: number; HOST: string },
  stop: () => Promise<void>,
): Promise<string> {
  try {
    return await server.listen(PORT, HOST);
  } catch (error) {
    const late = new AbortController();
    const limit = delay(CLOSE_MS, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([stop(), limit]).finally(() => late.abort());
    throw error;
  }
}
