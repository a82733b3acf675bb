import { runCommand } from "./run.ts";

// A reader such as `head` closes the pipe when it has enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runCommand(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  cwd: process.cwd(),
});
