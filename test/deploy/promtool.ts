import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs promtool in a folder. @returns what it printed @throws Error with that, where a check fails */
export async function runPromtool(args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)("promtool", args, { cwd });
  return stdout + stderr;
}
