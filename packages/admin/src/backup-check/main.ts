import { runProgram } from "../../../../src/lifecycle/lifecycle.ts";
import { start } from "./start.ts";

await runProgram(start, process.env, "backup-check");
