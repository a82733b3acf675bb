import { chownSync, type Dirent } from "node:fs";
import { appendFile, copyFile, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { ServerUser } from "../../../packages/sandbox/src/postgres-home.ts";
import { NotYetError, until } from "../assert/until.ts";
import { launch, type PostgresServer } from "./postgres.ts";
import { makeHome } from "./stale-postgres.ts";

/** A streaming standby: a server of its own, with the version, the flags and the password of its primary. */
export interface Standby extends PostgresServer {
  /** Returns the URL of a database of the primary on this server. */
  urlOf(primaryUrl: string): string;
  /** Halts replay: what the primary commits is received, and is not visible here. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Waits until everything that the primary (or `of`) has committed by now is visible here. */
  catchUp(of?: PostgresServer): Promise<void>;
  /** Makes it a primary, and waits until it takes writes. */
  promote(): Promise<void>;
  /** Streams from another server from now on. */
  follow(primary: PostgresServer): Promise<void>;
}

interface StandbyOptions {
  /** Its name in `synchronous_standby_names` and in `pg_stat_replication`. */
  name?: string;
  flags?: string[];
}

/** Keeps enough for a standby that is paused, or down, for the length of a test; instead of slots, which promotions lose. */
const KEEP_WAL = "ALTER SYSTEM SET wal_keep_size = '1GB'";

/**
 * Starts a standby from a physical backup of a running primary, and waits until it takes reads. The backup is taken by SQL and
 * by copying files: the embedded programs have no pg_basebackup.
 */
export async function startStandby(primary: PostgresServer, options: StandbyOptions = {}): Promise<Standby> {
  const { name = "standby" } = options;
  const { home, directory } = makeHome({ programs: primary.home.programs, onDisk: primary.onDisk });
  await backUp(primary, home.data);
  await makeFollow(home.data, primary, name);
  if (home.user) await giveTo(home.user, home.data);
  const password = new URL(primary.adminUrl).password;
  const server = await launch({
    home,
    directory,
    password,
    flags: [...primary.flags, ...(options.flags ?? [])],
    onDisk: primary.onDisk,
  });
  return { ...server, ...verbsOf(server, primary, name) };
}

/**
 * Starts a primary that was shut down as a standby of the server that took its place. It keeps what it has: a backup is needed only
 * where it has something that the new primary lacks.
 */
export async function rejoin(
  former: PostgresServer,
  primary: PostgresServer,
  name = "standby",
): Promise<Standby> {
  await makeFollow(former.home.data, primary, name);
  const { user, data } = former.home;
  if (user) await giveTo(user, join(data, "standby.signal"));
  await former.restart();
  return { ...former, ...verbsOf(former, primary, name) };
}

/** Makes a server that does not run a standby: from its next start on. */
async function makeFollow(data: string, primary: PostgresServer, name: string): Promise<void> {
  await writeFile(join(data, "standby.signal"), "");
  // Not a flag: ALTER SYSTEM, which follow() uses, does not override flags.
  const setting = `primary_conninfo = '${conninfoOf(primary, name)}'\n`;
  await appendFile(join(data, "postgresql.auto.conf"), setting);
}

function verbsOf(
  server: PostgresServer,
  primary: PostgresServer,
  name: string,
): Omit<Standby, keyof PostgresServer> {
  const run = (statement: string) =>
    until("the standby answers", () => unlessCancelled(server.adminUrl, statement));
  return {
    urlOf: (primaryUrl) => {
      const url = new URL(primaryUrl);
      url.port = String(server.port);
      return url.href;
    },
    pauseReplay: async () => {
      await run("SELECT pg_wal_replay_pause()");
      await until("replay is paused", async () => {
        const [row] = await run("SELECT pg_get_wal_replay_pause_state() = 'paused' AS done");
        return row?.done === true;
      });
    },
    resumeReplay: async () => void (await run("SELECT pg_wal_replay_resume()")),
    catchUp: async (of = primary) => {
      const position = await flushedPosition(of);
      await until("the standby has caught up", async () => {
        const [row] = await run(`SELECT pg_last_wal_replay_lsn() >= '${position}' AS done`);
        return row?.done === true;
      });
    },
    promote: async () => void (await run("SELECT pg_promote()")),
    follow: async (other) => {
      await run(`ALTER SYSTEM SET primary_conninfo = '${conninfoOf(other, name)}'`);
      await run("SELECT pg_reload_conf()");
    },
  };
}

/** Returns a position of the log before which every commit until now lies. It is flushed: a standby gets no other. */
async function flushedPosition({ adminUrl }: PostgresServer): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    // Not "on": that waits for synchronous standbys, of which this may be one that is paused.
    await client.query("SET synchronous_commit = local");
    const { rows } = await client.query("SELECT pg_logical_emit_message(true, 'position', '') AS position");
    return String(rows[0].position);
  } finally {
    await client.end();
  }
}

function conninfoOf({ adminUrl }: PostgresServer, name: string): string {
  const { hostname, port, username, password } = new URL(adminUrl);
  return `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
}

/** Takes a base backup while the server runs (PostgreSQL's documentation, "Making a Base Backup Using the Low Level API"). */
async function backUp(primary: PostgresServer, target: string): Promise<void> {
  await query(primary.adminUrl, KEEP_WAL);
  await query(primary.adminUrl, "SELECT pg_reload_conf()");
  const client = new pg.Client({ connectionString: primary.adminUrl });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', fast => true)");
    await copyTree(primary.home.data, target);
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)");
    await writeFile(join(target, "backup_label"), String(rows[0].labelfile));
  } finally {
    await client.end();
  }
}

/** Files that belong to the running server alone, or that the standby creates itself. */
const LEFT_OUT = new Set(["postmaster.pid", "postmaster.opts", "postgresql.auto.conf.tmp"]);
const LEFT_EMPTY = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_stat_tmp",
  "pg_subtrans",
]);

async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (LEFT_OUT.has(entry.name) || /^pgsql_tmp/.test(entry.name)) continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (LEFT_EMPTY.has(entry.name)) await mkdir(to, { mode: 0o700 });
    else if (entry.isDirectory()) await copyTree(from, to);
    else await copyIfThere(from, to, entry);
  }
}

/** Copies a file that may be removed during the backup: replay removes it again, so the copy may lack it. */
async function copyIfThere(from: string, to: string, entry: Dirent): Promise<void> {
  try {
    if (entry.isFile()) await copyFile(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Returns true for ENOENT. Avoids `instanceof`: Node's errors are of another realm than the tests. */
const isMissing = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ENOENT";

async function giveTo(user: ServerUser, path: string): Promise<void> {
  chownSync(path, user.uid, user.gid);
  if (!(await stat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await giveTo(user, join(path, name));
}

/** Runs a statement. @throws NotYetError where replay cancels it ("conflict with recovery") */
async function unlessCancelled(url: string, statement: string): Promise<Record<string, unknown>[]> {
  try {
    return await query(url, statement);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === "40001") throw new NotYetError(error.message);
    throw error;
  }
}

/** Runs a statement on a connection of its own. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
