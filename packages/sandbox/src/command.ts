import { existsSync } from "node:fs";
import { ROOT } from "../../../src/config/root.ts";

/** True in the package that partners install (pack.mjs), which has the sandbox's programs and none of its sources. */
export const IS_PACKAGE = !existsSync(`${ROOT}packages/sandbox/package.json`);

/** Command that starts the sandbox, as messages name it. */
export const START = IS_PACKAGE ? "npx partner-trading-sandbox" : "npm start";
/** The same, without anything of an earlier run. */
export const START_FRESH = IS_PACKAGE ? `${START} --fresh` : `${START} -- --fresh`;
