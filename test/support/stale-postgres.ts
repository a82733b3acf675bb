import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = /^partner-trading-pg-(\d+)-/;
const OLD_MS = 10 * 60_000;

/** Start of the name of a data directory that belongs to this process. */
export const directoryPrefix = join(tmpdir(), `partner-trading-pg-${process.pid}-`);

/**
 * Removes what test runs left behind that were killed hard: servers and data directories whose process is gone. Those
 * of runs that are still going on, or ended just now, are left alone.
 */
export function removeStale(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = Number(NAME.exec(name)?.[1] ?? 0);
    if (owner === 0 || isAlive(owner)) continue;
    const directory = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(directory).mtimeMs < OLD_MS) continue;
      stopServer(directory);
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Somebody else removes it at the same time, or owns it: no reason not to run tests.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, as somebody else's.
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
