#!/usr/bin/env node
// The command `partner-trading-admin`: builds main.ts first where it has changed.
import { build } from "../../build.mjs";

await import(`${await build()}/packages/admin/src/main.js`);
