import { runProgram } from "../lifecycle/lifecycle.ts";
import { start } from "../worker.ts";

await runProgram(start, process.env, "worker");
