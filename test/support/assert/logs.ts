import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Directory of the logs of all programs that tests start, and of the secrets that they had: the last stage of `npm test`
 * searches the logs for the secrets (test/secrets).
 */
export const LOGS = fileURLToPath(new URL("../../../test-results/logs/", import.meta.url));

/** Opens the log file of a kind of program; all such programs of this process share it. */
export function openLog(program: string): { write(text: string | Buffer): void } {
  mkdirSync(LOGS, { recursive: true });
  const file = join(LOGS, `${program}.${process.pid}.log`);
  return { write: (text) => appendFileSync(file, text) };
}

/** Keeps the logs that a sandbox wrote into a directory of its own. */
export function keepLogs(directory: string, name: string): void {
  if (existsSync(directory)) cpSync(directory, join(LOGS, `${name}.${process.pid}`), { recursive: true });
}

/** Keeps a secret that no log may contain. @returns the secret */
export function canary<T extends string>(what: string, secret: T): T {
  mkdirSync(LOGS, { recursive: true });
  appendFileSync(join(LOGS, `${process.pid}.canaries`), `${JSON.stringify({ what, secret })}\n`);
  return secret;
}

/** Returns every secret that this process has remembered so far. */
export function canariesOfThisProcess(): string[] {
  const lines = readFileSync(join(LOGS, `${process.pid}.canaries`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => String(JSON.parse(line).secret));
}
