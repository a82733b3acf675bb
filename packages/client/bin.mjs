#!/usr/bin/env node
// The command `partner-trading`. A checkout has its sources: there it is built first where they have changed.
import { existsSync } from "node:fs";

if (existsSync(new URL("src/cli/main.ts", import.meta.url))) {
  const service = await import("../../build.mjs");
  // A new project here depends on the client of this checkout, which must exist as JavaScript.
  if (process.argv[2] === "init") await (await import("./build.mjs")).buildLibrary(service);
  await import(`${await service.build()}/packages/client/src/cli/main.js`);
} else {
  await import("./dist/cli/partner-trading.js");
}
