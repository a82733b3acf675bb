#!/usr/bin/env node
// The command `partner-trading` in a checkout: builds main.ts first where it has changed.
import { build } from "../../build.mjs";

// A new project here depends on the client of this checkout, which must exist as JavaScript.
if (process.argv[2] === "init") await import("./build.mjs");
await import(`${await build()}/packages/client/src/cli/main.js`);
