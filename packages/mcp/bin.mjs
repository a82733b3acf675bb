#!/usr/bin/env node
import { runMcp } from "./index.mjs";

process.exitCode = await runMcp(process.argv.slice(2));
