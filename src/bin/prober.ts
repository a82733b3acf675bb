import { runProgram } from "../http/lifecycle.ts";
import { start } from "../prober.ts";

await runProgram(start, process.env, "prober");
