import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { note, type Terminal } from "./terminal.ts";

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/**
 * Returns the environment of a command. Without a DATABASE_URL, and with a sandbox in SANDBOX_DIR or in a directory `.sandbox`
 * here or above, it is the sandbox's: its database, deployments file and keys (docs/SANDBOX.md#files). Standard error reports
 * that.
 * @throws Error where a sandbox was named and its files are not a sandbox's
 */
export function environmentOf(terminal: Terminal): NodeJS.ProcessEnv {
  const { env, cwd } = terminal;
  if (env.DATABASE_URL) return env;
  const named = env.SANDBOX_DIR ? resolve(cwd ?? ".", env.SANDBOX_DIR) : null;
  const directory = named ?? (cwd === undefined ? null : findAbove(cwd));
  if (directory === null) return env;
  const found = read(directory);
  note(terminal, `DATABASE_URL is not set: this uses the sandbox in ${directory}.`);
  return { ...env, ...found };
}

function findAbove(start: string): string | null {
  for (let at = resolve(start); ; at = dirname(at)) {
    const directory = join(at, ".sandbox");
    if (existsSync(join(directory, "state.json"))) return directory;
    if (dirname(at) === at) return null;
  }
}

function read(directory: string): Record<string, string> {
  // The lock exists while a sandbox runs.
  if (!existsSync(join(directory, "lock")))
    throw new Error(
      `the sandbox in ${directory} is not running: start it with \`npm start\`, or set DATABASE_URL`,
    );
  const { databaseUrl } = readJson(directory, "state.json");
  const { masterKeys, webhookKeys, attributionKeys } = readJson(directory, "secrets.json");
  // A sandbox's database is on this machine. Any other URL, such as one edited into its file, is refused.
  if (typeof databaseUrl !== "string" || !LOOPBACK.test(new URL(databaseUrl).hostname))
    throw new Error(`the database of the sandbox in ${directory} is not on this machine: set DATABASE_URL`);
  return {
    DATABASE_URL: databaseUrl,
    DEPLOYMENTS_FILE: join(directory, "deployments.json"),
    MASTER_KEYS: String(masterKeys),
    WEBHOOK_KEYS: String(webhookKeys),
    ATTRIBUTION_KEYS: String(attributionKeys),
  };
}

function readJson(directory: string, name: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(join(directory, name), "utf8"));
  } catch {
    throw new Error(`${join(directory, name)} is not of a sandbox: start one with \`npm start\``);
  }
}
