import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Processes of this machine, identified by more than a number, because numbers are reused. */

/** Returns true while the process exists, also where it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Avoids `instanceof`: where several realms share a process, as in tests, the system's errors belong to another one. */
function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/** Returns true for a process that has ended and is not yet reaped by its parent. Linux only. */
function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Returns the command line of a process, or null where there is no such process. */
export function commandOf(pid: number): string | null {
  try {
    if (process.platform === "linux") {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() || null;
    }
    return execFileSync("ps", ["-o", "command=", "-p", `${pid}`], { encoding: "utf8" }).trim() || null;
  } catch {
    return null;
  }
}

/** Returns true where this is still the process that was started: alive, with `mark` in its command line. */
export function isStill(pid: number, mark: string): boolean {
  return isAlive(pid) && (commandOf(pid)?.includes(mark) ?? false);
}

/**
 * Waits until a condition holds.
 * @returns false where it does not within `ms`.
 */
export async function waitFor(condition: () => boolean, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

/** Sends a signal to a process that may be gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

/**
 * Ends a process: with `polite` first, by force after `graceMs`.
 * @param mark a part of its command line: a process without it is another one, and left alone.
 */
export async function endProcess(
  pid: number,
  mark: string,
  polite: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  if (!isStill(pid, mark)) return;
  signal(pid, polite);
  if (await waitFor(() => !isStill(pid, mark), graceMs)) return;
  signal(pid, "SIGKILL");
  await waitFor(() => !isStill(pid, mark), 5_000);
}
