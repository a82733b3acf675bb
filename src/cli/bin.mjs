#!/usr/bin/env node
// The command `partner-trading`. TypeScript is run as it is, so tsx comes before everything else.
import { register } from "tsx/esm/api";

register();
await import("./main.ts");
