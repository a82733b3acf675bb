#!/usr/bin/env node
// The command `partner-trading` in a checkout: the build of main.ts, brought up to date first.
import { build } from "../../../build.mjs";

await import(`${await build()}/src/client/cli/main.js`);
