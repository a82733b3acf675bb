// Ponder as a child process. It reads ponder.config.ts itself; its parameters come through the environment.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";
import { ROOT } from "../src/config/root.ts";

/** Ponder and the project it runs, as bundles.mjs describes them. */
const PONDER = `${ROOT}dist/ponder/ponder.js`;
const PROJECT = `${ROOT}dist/indexer`;
const EXIT_WITH_PARENT = `${ROOT}indexer/exit-with-parent.mjs`;
/** Ponder itself gives up an orderly end after 5 s. */
export const KILL_AFTER_MS = 10_000;

export interface IndexerOptions {
  chainId: number;
  /** Schema of the chain's build (build.ts). */
  schema: string;
  databaseUrl: string;
  deploymentsFile: string;
  /** Other variables for Ponder's process: the variables that the deployments file names, PATH. */
  env: NodeJS.ProcessEnv;
  onLine: (line: IndexerLine) => void;
}

export type Level = "trace" | "debug" | "info" | "warn" | "error";

/** A line of Ponder's log. */
export interface IndexerLine {
  level: Level;
  msg: string;
  fields: Record<string, unknown>;
}

export interface RunningIndexer {
  pid: number | undefined;
  /** The exit code; 128 and the signal's number where a signal ended it. */
  exited: Promise<number>;
  /** Ends it in order, by force after 10 s, and waits. */
  stop(): Promise<number>;
}

/** Others reach Ponder through the indexer's own server (src/indexer.ts). */
const HOST = "127.0.0.1";

/** Starts Ponder for one chain. It runs until it is stopped, or until something is wrong that a new attempt does not cure. */
export function startIndexer(options: IndexerOptions): RunningIndexer {
  const child = spawn(
    process.execPath,
    [
      ...["--no-deprecation", "--import", EXIT_WITH_PARENT, PONDER, "--root", PROJECT],
      ...["--schema", options.schema],
      ...["--hostname", HOST, "--port", "0", "--log-level", "info"],
    ],
    { env: environment(options), stdio: ["ignore", "pipe", "pipe", "ipc"] },
  );
  follow(child.stdout, options.onLine);
  follow(child.stderr, options.onLine);
  const exited = exitCode(child);
  return { pid: child.pid, exited, stop: () => stop(child, exited) };
}

function environment({ env, databaseUrl, deploymentsFile, chainId }: IndexerOptions): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _ours, ...rest } = env;
  return {
    ...rest,
    DATABASE_URL: databaseUrl,
    DEPLOYMENTS_FILE: deploymentsFile,
    INDEXER_CHAINS: `${chainId}`,
    // Ponder lets PORT win over its own option.
    PORT: "0",
    PONDER_TELEMETRY_DISABLED: "1",
  };
}

const LEVELS: Record<number, Level> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "error",
};
const logLine = z.looseObject({ level: z.number(), msg: z.string(), time: z.number().optional() });

function follow(stream: Readable | null, onLine: IndexerOptions["onLine"]): void {
  if (stream) createInterface({ input: stream }).on("line", (text) => onLine(parseLine(text)));
}

/** Parses a line of Ponder's log; what is none, such as a crash of the process itself, is a warning. */
export function parseLine(text: string): IndexerLine {
  const parsed = logLine.safeParse(parseJson(text));
  if (!parsed.success) return { level: "warn", msg: text, fields: {} };
  const { level, msg, time: _time, ...fields } = parsed.data;
  return { level: LEVELS[level] ?? "info", msg, fields };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the URL that a line of the log says Ponder answers at; null where it says nothing of that. */
export function urlOf({ msg, fields }: IndexerLine): string | null {
  return msg === "Created HTTP server" ? `http://${HOST}:${fields.port}` : null;
}

const SIGNALS: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal ? (SIGNALS[signal] ?? 0) : 0)));
  });
}

async function stop(child: ChildProcess, exited: Promise<number>): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
    await exited;
    clearTimeout(force);
  }
  return exited;
}
