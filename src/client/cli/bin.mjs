#!/usr/bin/env node
// The command `partner-trading` in a checkout: the build of main.ts, brought up to date first.
import { build } from "../../../build.mjs";

// A new project here depends on the client of this checkout, which has to be there in JavaScript.
if (process.argv[2] === "init") await import("../../../tools/build-client.mjs");
await import(`${await build()}/src/client/cli/main.js`);
