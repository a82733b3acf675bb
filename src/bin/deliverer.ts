import { start } from "../deliverer.ts";
import { runProgram } from "../lifecycle/lifecycle.ts";

await runProgram(start, process.env, "deliverer");
