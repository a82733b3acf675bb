import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "../../../src/config/root.ts";
import { LONG } from "../assert/long.ts";

// Checks that take many seconds, and depend on nothing but texts and the installed packages: one that has passed is not run
// again on this machine until they change, save by `npm run test:long`.

const DIRECTORY = `${ROOT}node_modules/.cache/passed-checks/`;
const PACKAGES = readFileSync(`${ROOT}node_modules/.package-lock.json`);

export interface KeptCheck {
  hasPassed: boolean;
  /** Keeps that it has passed. */
  keep(): void;
}

/** Returns what is known of a check. @param texts all that it depends on */
export function keptCheck(...texts: string[]): KeptCheck {
  const hash = createHash("sha256").update(PACKAGES).update(JSON.stringify(texts)).digest("hex");
  const file = DIRECTORY + hash;
  return {
    hasPassed: !LONG && existsSync(file),
    keep: () => {
      mkdirSync(DIRECTORY, { recursive: true });
      writeFileSync(file, "");
    },
  };
}
