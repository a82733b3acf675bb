import { spawn } from "node:child_process";
import { freePort } from "../../../packages/sandbox/src/ports.ts";
import { openLog } from "../../support/assert/logs.ts";
import { NotYetError, until, whenReachable } from "../../support/assert/until.ts";

/** A server in a process of its own. */
export interface ServerProcess {
  /** Scheme, host and port. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export interface ServerCommand {
  /** The name of its log. */
  name: string;
  /** Arguments of Node.js: the script, and its own arguments. */
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** A path that it answers, whatever the status, once it is up. */
  path: string;
}

/** Starts a server on a free port, which it finds in PORT, and waits until it answers. It ends with this process. */
export async function startServer({ name, args, env, cwd, path }: ServerCommand): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...env, PORT: String(port) },
  });
  const log = openLog(`bench-${name}`);
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      log.write(chunk);
      last.push(String(chunk));
      if (last.length > LAST_KEPT) last.shift();
    });
  }
  let hasEnded = false;
  const ended = new Promise<void>((resolve) =>
    child.once("close", () => {
      hasEnded = true;
      resolve();
    }),
  );
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const stop = async () => {
    child.kill("SIGTERM");
    const force = setTimeout(killAtExit, STOP_MS);
    await ended;
    clearTimeout(force);
    process.removeListener("exit", killAtExit);
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await until(`${name} answers`, async () => {
      if (hasEnded) throw new Error(`${name} ended at its start:\n${last.join("")}`);
      const { status } = await whenReachable(fetch(url + path));
      if (status === 503) throw new NotYetError(`${name} is not ready`);
      return true;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, stop };
}

const LAST_KEPT = 20;
const STOP_MS = 5_000;
