import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs promtool in a folder. @returns what it printed @throws Error with that, where a check fails */
export async function runPromtool(args: readonly string[], cwd: string): Promise<string> {
  // A fifth of its processor time is the collection of garbage, and there is little of it.
  const env = { ...process.env, GOGC: "400" };
  const { stdout, stderr } = await promisify(execFile)("promtool", args, { cwd, env });
  return stdout + stderr;
}
