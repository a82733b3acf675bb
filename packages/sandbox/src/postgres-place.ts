import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { START_FRESH } from "./command.ts";
import { readJson, writeJson } from "./files.ts";
import {
  canRun,
  createPrivate,
  openTo,
  type PostgresHome,
  packagedPrograms,
  preparePrivate,
  privatePath,
  programsIn,
  serverUser,
} from "./postgres-home.ts";

/**
 * Location of a sandbox's PostgreSQL: usually the sandbox's directory. As root, below a directory that the server's user cannot
 * enter (such as a home of mode 0700), it is a private directory elsewhere, whose path the sandbox's directory records.
 */
const schema = z.strictObject({ path: privatePath });
const recordIn = (directory: string) => join(directory, "postgres.json");
const dataIn = (path: string) => join(path, "data");

/** Returns the path of the private directory, or undefined where there is none. @throws Error where its record is damaged */
const privateOf = (directory: string) => readJson(recordIn(directory), schema)?.path;

/** Returns the present directory of the data, or its future one where no private directory is needed. */
export function dataDirectory(directory: string): string {
  const path = privateOf(directory);
  return path === undefined ? join(directory, "postgres") : dataIn(path);
}

/**
 * Finds or creates the home of the sandbox's server.
 * @param onPrivate called with the path of a private directory
 * @throws Error where the database is in a place that its user cannot enter any more
 */
export function openHome(directory: string, onPrivate: (path: string) => void): PostgresHome {
  const user = serverUser();
  const known = privateOf(directory);
  const programs = packagedPrograms();
  const data = dataDirectory(directory);
  if (user === null || (known === undefined && canRun(user, programs) && openTo(user, directory))) {
    return { programs, data, user };
  }
  if (known === undefined && existsSync(data)) {
    throw new Error(
      `PostgreSQL does not run as root, and its user cannot enter ${data} any more: open the directories above it ` +
        `(chmod o+x), or start anew with \`${START_FRESH}\``,
    );
  }
  const path = known ?? createPrivate(user, "sandbox", (chosen) => record(directory, chosen));
  if (known !== undefined) preparePrivate(known, user);
  onPrivate(path);
  return { programs: programsIn(path), data: dataIn(path), user };
}

/** Records the path before the directory is created, so that `--fresh` finds it in any case. */
function record(directory: string, path: string): void {
  writeJson(recordIn(directory), { path });
}

/** Removes the private directory, if any, and its record. */
export function removePrivate(directory: string): void {
  const path = privateOf(directory);
  if (path !== undefined) rmSync(path, { recursive: true, force: true });
  rmSync(recordIn(directory), { force: true });
}
