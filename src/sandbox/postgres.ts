import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, createWriteStream, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { endProcess, isStill } from "./processes.ts";

/** The embedded PostgreSQL: real, on the loopback interface, its data in the sandbox's directory. */
const KEEPER = fileURLToPath(new URL("postgres-keeper.mjs", import.meta.url));
const USER = "postgres";
const PASSWORD = "sandbox";
const DATABASE = "sandbox";
const START_MS = 60_000;
const STOP_MS = 15_000;

export interface Postgres {
  url: string;
  /** Of the process that keeps the server. */
  pid: number;
  /** Settles when the server has ended, wanted or not. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Of the data; made at the first start. */
  directory: string;
  port: number;
  logFile: string;
  /** Told of the keeper's process, at once. */
  onSpawn: (pid: number) => void;
}

/**
 * Starts the server, after ending one that an earlier sandbox left behind in the same directory.
 * @throws Error with the server's last words, when it does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { directory, port, logFile, onSpawn } = options;
  await endOrphan(directory);
  openToServer(dirname(directory));
  const lines: string[] = [];
  const child = spawn(
    process.execPath,
    [KEEPER, JSON.stringify({ directory, port, user: USER, password: PASSWORD })],
    {
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    },
  );
  const log = createWriteStream(logFile, { flags: "a" });
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > 20) lines.shift();
      log.write(`${line}\n`);
    });
  }
  if (child.pid !== undefined) onSpawn(child.pid);
  // Not "close": that never comes once this side has closed the channel.
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await ready(child, ended, lines);
  const url = `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}`;
  await createDatabase(url);
  const watch = await watchServer(url);
  return {
    url,
    pid: child.pid ?? 0,
    exited: Promise.race([ended, watch.lost]),
    async stop() {
      await watch.close();
      await stopKeeper(child, ended, directory);
      log.end();
    },
  };
}

function ready(child: ChildProcess, ended: Promise<void>, lines: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`PostgreSQL ${why}:\n${lines.join("\n")}`));
    const timer = setTimeout(() => fail("did not start in time"), START_MS);
    child.once("message", () => {
      clearTimeout(timer);
      resolve();
    });
    void ended.then(() => {
      clearTimeout(timer);
      fail("did not start");
    });
  });
}

async function stopKeeper(child: ChildProcess, ended: Promise<void>, directory: string): Promise<void> {
  if (child.connected) child.disconnect();
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(force);
  await endOrphan(directory);
}

/** The server tells nobody when it dies; a connection that stays open does. */
async function watchServer(url: string): Promise<{ lost: Promise<void>; close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  const lost = new Promise<void>((resolve) => {
    client.once("end", resolve);
    client.on("error", () => resolve());
  });
  await client.connect();
  return { lost, close: () => client.end().catch(() => undefined) };
}

async function createDatabase(url: string): Promise<void> {
  const server = new URL(url);
  server.pathname = "/postgres";
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  try {
    const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/**
 * Ends a server that still runs in the directory, and forgets one that is gone: its pid may belong to another process
 * by now, which would make the new server refuse to start.
 */
export async function endOrphan(directory: string): Promise<void> {
  const file = join(directory, "postmaster.pid");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : Number.NaN;
  if (!Number.isInteger(pid) || pid <= 1) return;
  // SIGINT is PostgreSQL's fast shutdown.
  await endProcess(pid, directory, "SIGINT", STOP_MS);
  if (!isStill(pid, directory)) rmSync(file, { force: true });
}

/**
 * As root the server runs as another user, who must be able to reach its data: opens the sandbox's directory for
 * passing through.
 * @throws Error naming a directory above it that is closed to that user.
 */
function openToServer(directory: string): void {
  if (process.getuid?.() !== 0) return;
  chmodSync(directory, statSync(directory).mode | 0o011);
  for (const path of [...parents(directory), ...parents(fileURLToPath(import.meta.url))]) {
    if ((statSync(path).mode & 0o001) === 0) {
      throw new Error(
        `PostgreSQL does not run as root, and the user it runs as cannot enter ${path}. Run the sandbox as another ` +
          `user, \`chmod o+x ${path}\`, or set DATABASE_URL (and SANDBOX_DIR)`,
      );
    }
  }
}

function parents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parents(parent)];
}
