import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { ROOT } from "../../../src/config/root.ts";

/** Production programs, started as in production: by an entry point and environment variables. */

/** Ends a program once this process is gone, however that ended: the channel between them closes. */
const EXIT_WITH_PARENT = `${ROOT}indexer/exit-with-parent.mjs`;

const STOP_MS = 12_000;
const RESTART_MS = 500;
const RESTART_MS_MAX = 10_000;
/** Lifetime after which a start counts as successful, and the count of early deaths is reset. */
const LIVED_MS = 15_000;
/** Number of early deaths in a row after which the sandbox gives up. */
const DEATHS_MAX = 5;
const LAST_LINES = 30;

export interface ChildSpec {
  name: string;
  /** Path of the built entry point from the repository's root. */
  entry: string;
  env: Record<string, string>;
  logFile: string;
  /** Receives each line of its log as well. */
  onLine: (line: string) => void;
  /** Called with each new process, so that it can be found after a crash of the sandbox itself. */
  onSpawn: (pid: number) => void;
  /** Called after an unexpected end. */
  onRestart: (what: string) => void;
  /** Called when it has ended too often, with its last output. */
  onGiveUp: (error: Error) => void;
}

export interface Child {
  name: string;
  pid(): number | undefined;
  /** Ends it in order, by force after 12 s. */
  stop(): Promise<void>;
}

/**
 * Starts a program and keeps it running: restarts one that ends by itself, after half a second at first and ten at most. Five
 * deaths in a row, each within 15 s of its start, end the sandbox: another attempt would not help.
 */
export function superviseChild(spec: ChildSpec): Child {
  const log = createWriteStream(spec.logFile, { flags: "a" });
  let current: Running | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let deaths = 0;

  function start(): void {
    const startedAt = Date.now();
    const running = launch(spec, log);
    current = running;
    void running.exited.then((how) => {
      if (stopping) return;
      deaths = Date.now() - startedAt < LIVED_MS ? deaths + 1 : 1;
      if (deaths >= DEATHS_MAX) {
        spec.onGiveUp(
          new Error(`${spec.name} ${how} ${deaths} times in a row:\n${running.lastLines.join("\n")}`),
        );
        return;
      }
      const delay = Math.min(RESTART_MS * 2 ** (deaths - 1), RESTART_MS_MAX);
      spec.onRestart(`${spec.name} ${how}; it is started again in ${delay} ms (its log: ${spec.logFile})`);
      timer = setTimeout(start, delay);
    });
  }

  start();
  return {
    name: spec.name,
    pid: () => current?.process.pid,
    async stop() {
      stopping = true;
      clearTimeout(timer);
      if (current) await end(current);
      log.end();
    },
  };
}

interface Running {
  process: ChildProcess;
  /** Settles with a description of its end. */
  exited: Promise<string>;
  lastLines: string[];
}

function launch({ entry, env, onLine, onSpawn }: ChildSpec, log: WriteStream): Running {
  const child = spawn(process.execPath, ["--import", EXIT_WITH_PARENT, entry], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    // A group of its own: Ctrl-C reaches the sandbox alone, which ends its children in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lastLines.push(line);
      if (lastLines.length > LAST_LINES) lastLines.shift();
      log.write(`${line}\n`);
      onLine(line);
    });
  }
  if (child.pid !== undefined) onSpawn(child.pid);
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started (${error.message})`));
    child.once("close", (code, signal) =>
      resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`),
    );
  });
  return { process: child, exited, lastLines };
}

async function end({ process: child, exited }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  const force = setTimeout(() => killGroup(child), STOP_MS);
  await exited;
  clearTimeout(force);
}

/** Includes its children: each program leads a group of its own. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}
