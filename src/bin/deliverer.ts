import { start } from "../deliverer.ts";
import { runProgram } from "../lifecycle.ts";

await runProgram(start, process.env, "deliverer");
