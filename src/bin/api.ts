import { runProgram } from "../lifecycle.ts";
import { start } from "../main.ts";

await runProgram(start, process.env, "api");
