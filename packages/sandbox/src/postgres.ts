import { createWriteStream, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { START_FRESH } from "./command.ts";
import { openHome } from "./postgres-place.ts";
import { startServer } from "./postgres-server.ts";
import { endProcess, isStill } from "./processes.ts";

/** The embedded PostgreSQL of the sandbox. */
const USER = "postgres";
const DATABASE = "sandbox";
const STOP_MS = 15_000;

export interface Postgres {
  /** Of the superuser. */
  url: string;
  /** Settles when the server has ended, on request or not. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** The sandbox's. */
  directory: string;
  port: number;
  /** Of the superuser. */
  password: string;
  logFile: string;
  /** Called with the keeper's process, at once. */
  onSpawn: (pid: number) => void;
  /** Called with the database's directory where that is not in the sandbox's. */
  onPrivate: (path: string) => void;
}

/**
 * Starts the server, after ending one that an earlier sandbox left behind with the same data.
 * @throws Error with the server's last output, where it does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { directory, port, password, logFile, onSpawn, onPrivate } = options;
  const home = openHome(directory, onPrivate);
  await endOrphan(home.data);
  const log = createWriteStream(logFile, { flags: "a" });
  const server = await startServer({
    ...home,
    port,
    superuser: USER,
    password,
    // Tables begin empty here and grow within seconds. Until they are analyzed, PostgreSQL takes each to be tiny, and considers a
    // poor index as good as the right one; the default of a minute would search thousands of rows that way.
    flags: ["-c", "max_connections=200", "-c", "autovacuum_naptime=2s"],
    onLine: (line) => log.write(`${line}\n`),
    onSpawn,
  });
  const url = `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
  await createDatabase(url);
  return {
    url,
    exited: server.exited,
    async stop() {
      await server.stop();
      await endOrphan(home.data);
      log.end();
    },
  };
}

async function createDatabase(url: string): Promise<void> {
  const server = new URL(url);
  server.pathname = "/postgres";
  const client = new pg.Client({ connectionString: server.href });
  await client.connect().catch((cause: unknown) => {
    if (!(cause instanceof pg.DatabaseError && cause.code === "28P01")) throw cause;
    throw new Error(`the database has another password than secrets.json. \`${START_FRESH}\` starts anew`, {
      cause,
    });
  });
  try {
    const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/**
 * Ends a server that still runs in the directory, and removes the record of one that is gone: its pid may belong to another
 * process, which would make the new server refuse to start.
 */
export async function endOrphan(directory: string): Promise<void> {
  const file = join(directory, "postmaster.pid");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : Number.NaN;
  if (!Number.isInteger(pid) || pid <= 1) return;
  // SIGINT is PostgreSQL's fast shutdown.
  await endProcess(pid, directory, "SIGINT", STOP_MS);
  if (!isStill(pid, directory)) rmSync(file, { force: true });
}
