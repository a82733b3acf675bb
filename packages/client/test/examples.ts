import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../../src/config/root.ts";

const run = promisify(execFile);

/** Quotes a value for a POSIX shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Runs a script that has read examples/curl.sh. Returns what it printed. */
export async function runShell(shell: string, script: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await run(shell, ["-c", `. examples/curl.sh\n${script}`], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout;
}

/** Compiles examples/go/main.go. Returns the program's path. */
export async function buildGo(): Promise<string> {
  const program = join(await mkdtemp(join(tmpdir(), "go-example-")), "example");
  // The compiler keeps compiled packages of its library below HOME.
  const env = { PATH: process.env.PATH, HOME: homedir(), GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
  await run("go", ["build", "-o", program, "examples/go/main.go"], { cwd: ROOT, env });
  return program;
}

/** Runs a program with nothing but these variables. Returns its output. */
export async function runProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  return (await run(program, args, { env: { PATH: process.env.PATH, ...env }, cwd: ROOT })).stdout;
}
