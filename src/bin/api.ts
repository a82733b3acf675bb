import { setFlagsFromString } from "node:v8";
import { runProgram } from "../http/lifecycle.ts";
import { start } from "../main.ts";

// V8 would allocate rows and answers among what is old, which only a collection of all garbage frees: without that a request
// takes a sixth less of the processor (docs/PERFORMANCE.md).
setFlagsFromString("--no-allocation-site-pretenuring");
await runProgram(start, process.env, "api");
