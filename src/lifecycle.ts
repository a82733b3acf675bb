import { pathToFileURL } from "node:url";
import closeWithGrace from "close-with-grace";
import type { Logger } from "pino";
import { scrub } from "./http/log.ts";
import type { HttpServer } from "./http/server.ts";

/** A program that has started. */
export interface Running {
  /** Where it answers HTTP. */
  url: string;
  log: Logger;
  /** Finishes what is in flight and lets go of everything. */
  stop(): Promise<void>;
}

/** Longest time from the signal to the end of the process, milliseconds; a drain is shorter (see http/server.ts). */
const GRACE_MS = 30_000;

/**
 * Runs a program until SIGTERM or SIGINT, then stops it gracefully and exits 0. A program that cannot start says why in
 * one message on standard error, without a stack, and exits 1.
 * With EXIT_WITH_PARENT=1 it also stops when standard input closes, as it does when the parent dies.
 */
export async function runProgram(
  start: (env: NodeJS.ProcessEnv) => Promise<Running>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const running = await start(env).catch((error: unknown) => {
    process.stderr.write(`${scrub(error instanceof Error ? error.message : String(error))}\n`);
    process.exitCode = 1;
    return null;
  });
  if (!running) return;
  const { log, url } = running;
  log.info({ url }, "listening");
  const grace = closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, "stopping: an error that nobody caught");
    else log.info({ signal }, "stopping");
    await running.stop();
    log.info("stopped");
  });
  if (env.EXIT_WITH_PARENT === "1") process.stdin.once("close", () => grace.close()).resume();
}

/** Listens; where that fails (the port is taken), lets go of everything first, so that the process can end. */
export async function listenOrStop(
  server: HttpServer,
  { PORT, HOST }: { PORT: number; HOST: string },
  stop: () => Promise<void>,
): Promise<string> {
  try {
    return await server.listen(PORT, HOST);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** True where a module is the script that node was told to run, and not imported by another. */
export function isScript(moduleUrl: string): boolean {
  return moduleUrl === pathToFileURL(process.argv[1] ?? "").href;
}
