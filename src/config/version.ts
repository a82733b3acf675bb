import { readFileSync } from "node:fs";
import { ROOT } from "./root.ts";

/** Replaced by build.mjs; undefined in sources that run without a build. */
declare const BUILD_COMMIT: string | undefined;

const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { version: string };

/** Version of this checkout, from its package.json. */
export const VERSION = version;

/** Git commit that the running program was built from, `-modified` behind it where files differed; `unknown` without Git. */
export const COMMIT = typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "unknown";
