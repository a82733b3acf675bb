import { runProgram } from "../../../../src/http/lifecycle.ts";
import { start } from "./start.ts";

await runProgram(start, process.env, "backup-check");
