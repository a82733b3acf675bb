import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  canEnter,
  canRun,
  createPrivate,
  type PostgresHome,
  PRIVATE_BASES,
  packagedPrograms,
  programsIn,
  serverUser,
} from "../../../packages/sandbox/src/postgres-home.ts";

const NAME = /^partner-trading-pg-(\d+)-/;
const OLD_MS = 10 * 60_000;
/** Linux's file system in memory. Each database of a test is about 300 files, which a disk's takes far longer to make. */
const MEMORY = "/dev/shm";
const TMPFS_MAGIC = 0x01021994;
/** Several times what all servers of a run hold at a time, so that memory does not run out. */
const MEMORY_FREE_MIN = 4 * 1024 ** 3;

interface HomeOptions {
  programs: string | undefined;
  onDisk?: boolean | undefined;
}

/**
 * Makes a directory for a server of this process: in memory where there is much room, else in the system's temporary
 * directory, or, where the server's user cannot enter that or this checkout, a private one with the server's programs in it.
 * @param options.programs the directory of programs that were installed by other means
 * @param options.onDisk true: never in memory
 * @returns where the server's programs and data are, and the directory to remove afterwards
 */
export function makeHome({ programs: given, onDisk = false }: HomeOptions): {
  home: PostgresHome;
  directory: string;
} {
  const user = serverUser();
  const programs = given ?? packagedPrograms();
  const base = !onDisk && hasRoomInMemory() ? MEMORY : tmpdir();
  if (user && !(canRun(user, programs) && canEnter(user, base))) {
    const directory = createPrivate(user, `pg-${process.pid}`, () => undefined);
    return { home: { programs: given ?? programsIn(directory), data: dataIn(directory), user }, directory };
  }
  const directory = mkdtempSync(join(base, `partner-trading-pg-${process.pid}-`));
  if (user) chownSync(directory, user.uid, user.gid);
  return { home: { programs, data: dataIn(directory), user }, directory };
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS_MAGIC && bavail * bsize >= MEMORY_FREE_MIN;
  } catch {
    return false;
  }
}

const dataIn = (directory: string) => join(directory, "data");

/**
 * Removes what test runs left behind that were killed hard: servers and their directories whose process is gone. Those
 * of runs that are still going on, or ended just now, are left alone.
 */
export function removeStale(): void {
  for (const base of [MEMORY, tmpdir(), ...PRIVATE_BASES]) if (existsSync(base)) removeStaleIn(base);
}

function removeStaleIn(base: string): void {
  for (const name of readdirSync(base)) {
    const owner = Number(NAME.exec(name)?.[1] ?? 0);
    if (owner === 0 || isAlive(owner)) continue;
    const directory = join(base, name);
    try {
      if (Date.now() - statSync(directory).mtimeMs < OLD_MS) continue;
      stopServer(dataIn(directory));
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Another process removes it at the same time, or another user owns it: no reason not to run tests.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user's.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function stopServer(directory: string): void {
  const pid = Number(firstLine(join(directory, "postmaster.pid")));
  // Process ids are used again: only one that serves this very directory is ours to stop.
  if (pid > 0 && firstLine(`/proc/${pid}/cmdline`).split("\0").includes(directory))
    process.kill(pid, "SIGQUIT");
}

function firstLine(path: string): string {
  try {
    return readFileSync(path, "utf8").split("\n")[0] ?? "";
  } catch {
    return "";
  }
}
