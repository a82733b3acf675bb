import { mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endLeftovers, type Ledger, openLedger } from "./leftovers.ts";
import { takeLock } from "./lock.ts";
import { endOrphan } from "./postgres.ts";
import { dataDirectory, removePrivate } from "./postgres-place.ts";

/** The sandbox's directory. */
export interface Directory {
  path: string;
  ledger: Ledger;
  file(name: string): string;
  log(program: string): string;
  release(): void;
  /** Releases it, and removes all of the sandbox's files. */
  remove(): void;
}

/** All entries of the sandbox; other files in the directory are not removed. */
const OWN = [
  "chain-31337.json",
  "chain-31338.json",
  "deployments.json",
  "logs",
  "market.json",
  "postgres",
  "postgres.password",
  "postgres.unfinished",
  "secrets.json",
  "state.json",
];

/**
 * Takes the directory, ends processes that an earlier run left in it, and with `fresh` empties it (ports stay the same).
 * @throws Error where another sandbox runs in it
 */
export async function openDirectory(path: string, fresh: boolean): Promise<Directory> {
  mkdirSync(path, { recursive: true });
  const unlock = takeLock(path);
  const file = (name: string) => join(path, name);
  try {
    await endLeftovers(path);
    await endOrphan(dataDirectory(path));
    if (fresh) removePrivate(path);
    removeFiles(path, fresh ? OWN : ["logs", "state.json"]);
    mkdirSync(file("logs"));
  } catch (error) {
    unlock();
    throw error;
  }
  const ledger = openLedger(path);
  const release = () => {
    ledger.clear();
    unlock();
  };
  return {
    path,
    ledger,
    file,
    log: (program) => join(path, "logs", `${program}.log`),
    release,
    remove() {
      removePrivate(path);
      removeFiles(path, OWN);
      release();
      removeFiles(path, ["ports.json", "processes.json"]);
      if (readdirSync(path).length === 0) rmdirSync(path);
    },
  };
}

function removeFiles(path: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(path, name), { recursive: true, force: true });
}
