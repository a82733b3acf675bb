import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { until } from "../assert/until.ts";
import { type SandboxState, stateSchema } from "./sandbox-state.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A sandbox started as people start it, in a directory of its own. */
export interface Sandbox {
  /** The process id of npm. */
  pid: number;
  output(): string;
  exited: Promise<number | null>;
  ended(): boolean;
}

export function npmStart(
  dir: string,
  args: string[] = [],
  env: Record<string, string> = {},
  root = ROOT,
): Sandbox {
  // A group of its own, as a terminal gives it: Ctrl-C can be played by a signal to the whole group.
  const child: ChildProcess = spawn("npm", ["start", ...(args.length > 0 ? ["--", ...args] : [])], {
    cwd: root,
    detached: true,
    env: { ...process.env, NODE_OPTIONS: "", LOG_LEVEL: "", SANDBOX_DIR: dir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid === undefined) throw new Error("npm could not be started");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  let ended = false;
  const exited = new Promise<number | null>((resolve) =>
    child.once("exit", (code) => {
      ended = true;
      resolve(code);
    }),
  );
  return { pid: child.pid, output: () => output, exited, ended: () => ended };
}

/** Waits until it prints something. @throws Error with its output, when it ends before or does not in time. */
export async function untilPrinted(sandbox: Sandbox, text: string, withinMs = 90_000): Promise<void> {
  const printed = () => sandbox.output().includes(text);
  await until(`"${text}", or its end`, () => printed() || sandbox.ended() || undefined, withinMs).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}; it printed:\n${sandbox.output()}`);
    },
  );
  if (!printed()) throw new Error(`the sandbox ended, and never printed "${text}":\n${sandbox.output()}`);
}

export const readState = (dir: string): SandboxState =>
  stateSchema.parse(JSON.parse(readFileSync(`${dir}/state.json`, "utf8")));

/** Returns all processes that carry this directory in their environment: every child inherits it. Linux only. */
export function processesOf(dir: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && carries(pid, `SANDBOX_DIR=${dir}\0`));
}

function carries(pid: number, variable: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").includes(variable);
  } catch {
    return false;
  }
}
