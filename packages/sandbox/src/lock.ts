import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStill } from "./processes.ts";

/** The command line of every sandbox, of any user, has one of them: started in a checkout, and by the package's command. */
const MARKS = ["sandbox/src/up", "partner-trading-sandbox"];
const ATTEMPTS = 3;

/**
 * Locks the directory for this process. Takes over a lock whose process is gone.
 * @returns a function that unlocks it
 * @throws Error naming the process, where another sandbox runs in it.
 */
export function takeLock(directory: string): () => void {
  const path = join(directory, "lock");
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (create(path)) return () => release(path);
    const owner = ownerOf(path);
    if (owner !== null && owner !== process.pid && MARKS.some((mark) => isStill(owner, mark))) {
      throw new Error(
        `another sandbox (process ${owner}) runs in ${directory}; stop it, or name another place with SANDBOX_DIR`,
      );
    }
    rmSync(path, { force: true });
  }
  throw new Error(`${path} cannot be taken: several sandboxes start here at once`);
}

/** Creates the lock as a link, which appears atomically with the owner in it. */
function create(path: string): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${process.pid}\n`);
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function ownerOf(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, "utf8").trim());
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function release(path: string): void {
  if (ownerOf(path) === process.pid) rmSync(path, { force: true });
}
