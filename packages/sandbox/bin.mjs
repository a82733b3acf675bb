#!/usr/bin/env node
// The command `partner-trading-sandbox` of the package that pack.mjs makes.
import "./dist/packages/sandbox/src/up.js";
