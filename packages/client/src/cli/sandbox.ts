import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommandError, type Terminal } from "./terminal.ts";

/** A key of a running sandbox, as its state.json lists it (docs/SANDBOX.md#files). */
export interface SandboxKey {
  name: string;
  apiKey: string;
  apiSecret: string;
  access: string;
  chainId: number;
  productType: string;
  userAddress: string | null;
}

export interface Sandbox {
  directory: string;
  baseUrl: string;
  /** As the file has it. */
  controlUrl: string;
  keys: SandboxKey[];
}

const LIVE_MS_MAX = 1_000;

/**
 * Returns the running sandbox of SANDBOX_DIR, or of `.sandbox` in the current directory or one above; null where there is none.
 * @throws CommandError where there is one that does not run
 */
export async function findSandbox({ env, cwd }: Pick<Terminal, "env" | "cwd">): Promise<Sandbox | null> {
  const directory = env.SANDBOX_DIR ? resolve(cwd, env.SANDBOX_DIR) : findAbove(cwd);
  if (directory === null) return null;
  const sandbox = existsSync(stateFile(directory)) ? read(directory) : null;
  if (sandbox && (await isLive(sandbox.baseUrl))) return sandbox;
  throw new CommandError(`The sandbox in ${directory} is not running: start it with \`npm start\`.`);
}

const stateFile = (directory: string) => join(directory, "state.json");

function findAbove(start: string): string | null {
  for (let at = resolve(start); ; at = dirname(at)) {
    const directory = join(at, ".sandbox");
    if (existsSync(stateFile(directory))) return directory;
    if (dirname(at) === at) return null;
  }
}

function read(directory: string): Sandbox {
  try {
    const { baseUrl, controlUrl, keys } = JSON.parse(readFileSync(stateFile(directory), "utf8"));
    // A sandbox listens on this machine only: a state.json with another address gets no signed requests.
    if (!isLoopback(baseUrl)) throw new Error(baseUrl);
    if (!Array.isArray(keys)) throw new Error("no keys");
    return { directory, baseUrl, controlUrl, keys };
  } catch {
    throw new CommandError(`${stateFile(directory)} is not of a sandbox.`);
  }
}

/** @throws TypeError where the text is no URL */
export const isLoopback = (url: string) => /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(url).hostname);

/** Returns true where a sandbox answers, or takes its time: a machine that builds or tests is slow. A closed port refuses at once. */
async function isLive(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/livez`, { signal: AbortSignal.timeout(LIVE_MS_MAX) });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    return error instanceof DOMException && error.name === "TimeoutError";
  }
}
