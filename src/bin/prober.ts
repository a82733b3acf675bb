import { runProgram } from "../lifecycle/lifecycle.ts";
import { start } from "../prober.ts";

await runProgram(start, process.env, "prober");
