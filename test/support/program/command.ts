import { execFile } from "node:child_process";
import { runCommand } from "../../../packages/admin/src/run.ts";
import { builtScript } from "./built.ts";

export interface Outcome {
  /** The exit code. */
  code: number;
  out: string;
  err: string;
}

/** Runs the operator's command in this process: in a twentieth of the processor time that a process of its own takes. */
export async function operate(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  let out = "";
  let err = "";
  const stdout = { write: (text: string) => (out += text) };
  const stderr = { write: (text: string) => (err += text) };
  const code = await runCommand(args, { env, stdout, stderr });
  return { code, out, err };
}

/** Runs the operator's command as an operator types it. */
export function operateAsProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  program = builtScript("packages/admin/src/main.ts"),
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, out, err });
    });
  });
}
