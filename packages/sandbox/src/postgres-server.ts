import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ROOT } from "../../../src/config/root.ts";
import type { PostgresHome } from "./postgres-home.ts";

const KEEPER = `${ROOT}packages/sandbox/src/postgres-keeper.mjs`;
const START_MS = 60_000;
const STOP_MS = 15_000;
const LAST_LINES = 20;

/** Options of the keeper's process (postgres-keeper.mjs). */
export interface KeeperSettings extends PostgresHome {
  port: number;
  superuser: string;
  /** Password of the superuser, set when the data is created. */
  password: string;
  /** Flags of the server, beside those that keep it to the loopback interface. */
  flags: readonly string[];
  /** Directory that is removed once the server has ended on request, or because this process is gone. */
  removeAtEnd?: string;
}

export interface ServerOptions extends KeeperSettings {
  onLine?: (line: string) => void;
  /** Called with the keeper's process, at once. */
  onSpawn?: (pid: number) => void;
}

/** A real PostgreSQL server on the loopback interface. It ends with this process, however that ends. */
export interface Server {
  /** Settles when the server has ended, on request or not. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a server, and creates its data if missing.
 * @throws Error with the server's last output, where it does not start
 */
export async function startServer({ onLine, onSpawn, ...settings }: ServerOptions): Promise<Server> {
  const child = spawn(process.execPath, [KEEPER], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const lines: string[] = [];
  const read = [child.stdout, child.stderr].map((stream) =>
    stream
      ? readLines(stream, (line) => {
          lines.push(line);
          if (lines.length > LAST_LINES) lines.shift();
          onLine?.(line);
        })
      : undefined,
  );
  if (child.pid !== undefined) onSpawn?.(child.pid);
  // Not "close": that event never comes once this side has closed the channel.
  const exited = new Promise<void>((resolve) => {
    for (const event of ["exit", "error"]) child.once(event, () => resolve());
  });
  child.send(settings);
  const stop = () => stopKeeper(child, exited);
  try {
    await ready(child, exited);
  } catch (error) {
    await stop();
    await Promise.all(read);
    throw new Error(`PostgreSQL ${error instanceof Error ? error.message : error}:\n${lines.join("\n")}`);
  }
  return { exited, stop };
}

/** Settles once everything is read. */
function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stream }).on("line", onLine);
  return new Promise((resolve) => lines.once("close", () => resolve()));
}

function ready(child: ChildProcess, exited: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("did not start in time")), START_MS);
    child.once("message", () => {
      clearTimeout(timer);
      resolve();
    });
    void exited.then(() => {
      clearTimeout(timer);
      reject(new Error("did not start"));
    });
  });
}

async function stopKeeper(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.connected) child.disconnect();
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(force);
}
