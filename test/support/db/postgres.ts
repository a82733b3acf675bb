import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../../../packages/sandbox/src/ports.ts";
import type { PostgresHome } from "../../../packages/sandbox/src/postgres-home.ts";
import { type Server, startServer } from "../../../packages/sandbox/src/postgres-server.ts";
import { isAlive, signal } from "../../../packages/sandbox/src/processes.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { canary } from "../assert/logs.ts";
import { until } from "../assert/until.ts";
import { makeHome, removeStale } from "./stale-postgres.ts";

/** A PostgreSQL server of the tests' own. */
export interface PostgresServer {
  /** URL of a superuser's connection to the database `postgres`. */
  adminUrl: string;
  port: number;
  home: PostgresHome;
  /** Its flags, which a standby of it has to have, too. */
  flags: readonly string[];
  /** True: the data of the server, and of its standbys, is on a disk. */
  onDisk: boolean;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** Crashes the server: sends SIGKILL to all of its processes at once. */
  kill(): Promise<void>;
  /** Stops like `pg_ctl stop -m fast`: connected standbys receive all WAL. Its data stays. */
  shutDown(): Promise<void>;
  /** Starts it again after kill() or shutDown(), with the same data. */
  restart(): Promise<void>;
  /** Sends SIGSTOP to all of its processes: connections stay, and nothing answers. @returns a function that resumes them */
  freeze(): () => void;
}

export interface TestDatabase {
  url: string;
  /** Drops the database, with the connections to it. */
  drop(): Promise<void>;
}

// Data need not survive a crash, unless a test overrides these flags.
const FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];

interface StartOptions {
  /** True: what was committed survives a SIGKILL of the server. */
  durable?: boolean;
  /** True: its data is on a disk, for what measures how long a commit takes; else in memory where there is room. */
  onDisk?: boolean;
  flags?: string[];
  /** The directory of another version's programs; by default those of TEST_POSTGRES_PROGRAMS, or the embedded ones. */
  programs?: string;
}

/**
 * Starts a PostgreSQL on a free port of 127.0.0.1, its data in a directory of its own. It ends
 * with this process, however that ends, and its directory with it.
 */
export async function startPostgres(options: StartOptions = {}): Promise<PostgresServer> {
  removeStale();
  const { home, directory } = makeHome({
    programs: options.programs ?? (process.env.TEST_POSTGRES_PROGRAMS || undefined),
    onDisk: options.onDisk,
  });
  const password = canary("database password", randomUUID());
  const flags = ["-c", "max_connections=1000", ...(options.durable ? [] : FAST), ...(options.flags ?? [])];
  return launch({ home, directory, password, flags, onDisk: options.onDisk ?? false });
}

interface Launch {
  home: PostgresHome;
  /** Removed with the server. */
  directory: string;
  /** The password of the user `postgres`. */
  password: string;
  flags: readonly string[];
  onDisk: boolean;
}

/** Starts a server on a free port. Makes its data where there is none. */
export async function launch({ home, directory, password, flags, onDisk }: Launch): Promise<PostgresServer> {
  const port = await freePort();
  const start = () =>
    startServer({ ...home, port, superuser: "postgres", password, flags, removeAtEnd: directory });
  const cleanUp = () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  let server: Server;
  try {
    server = await start();
  } catch (error) {
    cleanUp();
    throw error;
  }
  return {
    adminUrl: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    home,
    flags,
    onDisk,
    stop: async () => {
      await server.stop();
      // A server that was killed left it.
      cleanUp();
    },
    kill: async () => {
      const pids = freezeAll(home.data);
      for (const pid of pids) signal(pid, "SIGKILL");
      await until("the server is gone", () => (pids.some(isAlive) ? undefined : true));
      await server.exited;
    },
    shutDown: async () => {
      signal(mainProcess(home.data), "SIGINT");
      await server.exited;
    },
    restart: async () => {
      server = await start();
    },
    freeze: () => {
      const pids = freezeAll(home.data);
      return () => {
        for (const pid of pids) signal(pid, "SIGCONT");
      };
    },
  };
}

/** Stops the server's own process first, so that it starts no more of them, then those that it started. Linux only. */
function freezeAll(directory: string): number[] {
  const main = mainProcess(directory);
  signal(main, "SIGSTOP");
  const children = readFileSync(`/proc/${main}/task/${main}/children`, "utf8").split(" ").filter(Boolean);
  for (const child of children) signal(Number(child), "SIGSTOP");
  return [...children.map(Number), main];
}

const mainProcess = (directory: string): number =>
  Number(readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n")[0]);

/**
 * Starts what integration and fault tests share: a server (or, where TEST_DATABASE_URL is set, that one) and on it a
 * migrated database that createDatabase copies. Sets TEST_DATABASE_ADMIN_URL and TEST_DATABASE_TEMPLATE.
 * @returns stops what was started
 */
export async function startTestPostgres(): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? null : await startPostgres();
  const adminUrl = given ?? server?.adminUrl ?? "";
  const template = `template_${randomUUID().replaceAll("-", "")}`;
  const stop = async () => {
    if (server) await server.stop();
    else await dropDatabase(adminUrl, template);
  };
  try {
    await administer(adminUrl, `CREATE DATABASE "${template}"`);
    await migrate(urlOf(adminUrl, template), { info: () => undefined });
  } catch (error) {
    await stop();
    throw error;
  }
  process.env.TEST_DATABASE_ADMIN_URL = adminUrl;
  process.env.TEST_DATABASE_TEMPLATE = template;
  return stop;
}

/**
 * Creates an empty database for a sandbox where the tests were given a PostgreSQL: on the server of TEST_DATABASE_URL, or on
 * one of TEST_POSTGRES_PROGRAMS.
 * @returns null where the sandbox starts the embedded one
 */
export async function givenDatabase(): Promise<TestDatabase | null> {
  const given = process.env.TEST_DATABASE_URL;
  if (!given && !process.env.TEST_POSTGRES_PROGRAMS) return null;
  const server = given ? null : await startPostgres();
  const adminUrl = given ?? server?.adminUrl ?? "";
  const name = `sandbox_${randomUUID().replaceAll("-", "")}`;
  await administer(adminUrl, `CREATE DATABASE "${name}"`);
  const drop = () => (server ? server.stop() : dropDatabase(adminUrl, name));
  return { url: urlOf(adminUrl, name), drop };
}

/**
 * Creates a migrated database for one test file.
 * @param options.empty true: without any migration
 */
export async function createDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const adminUrl = process.env.TEST_DATABASE_ADMIN_URL;
  const template = process.env.TEST_DATABASE_TEMPLATE;
  if (!adminUrl || !template)
    throw new Error("createDatabase works in the projects integration and faults only");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // A copy of files takes half of what a copy by the log does.
  const copy = options.empty ? "" : ` TEMPLATE "${template}" STRATEGY FILE_COPY`;
  await administer(adminUrl, `CREATE DATABASE "${name}"${copy}`);
  return { url: urlOf(adminUrl, name), drop: () => dropDatabase(adminUrl, name) };
}

function dropDatabase(adminUrl: string, name: string): Promise<void> {
  return administer(adminUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}
