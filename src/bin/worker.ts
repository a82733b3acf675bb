import { runProgram } from "../http/lifecycle.ts";
import { start } from "../worker.ts";

await runProgram(start, process.env, "worker");
