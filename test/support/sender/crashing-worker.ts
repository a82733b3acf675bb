// The worker, killing itself at the point that CRASH_AT names.
import { runProgram } from "../../../src/http/lifecycle.ts";
import { start } from "../../../src/worker.ts";

const crash = (point: string): void => {
  if (point === process.env.CRASH_AT) process.kill(process.pid, "SIGKILL");
};
await runProgram((env) => start(env, { crash }), process.env, "worker");
