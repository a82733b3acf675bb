import { start } from "../deliverer.ts";
import { runProgram } from "../http/lifecycle.ts";

await runProgram(start, process.env, "deliverer");
