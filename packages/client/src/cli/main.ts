import { runCommand } from "./run.ts";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A second Ctrl-C ends programs that do not stop by themselves.
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort();
  });
}
// A reader such as `head` closes the pipe when it has enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const { env, stdin, stdout, stderr } = process;
const terminal = { env, stdin, stdout, stderr, cwd: process.cwd(), interrupted: interrupted.signal };
process.exitCode = await runCommand(process.argv.slice(2), terminal);
