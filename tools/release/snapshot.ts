import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { buildApiSchema } from "../../src/api/schema.ts";
import { ROOT } from "../../src/config/root.ts";
import { printReleased, printReleasedSchema } from "../breaking-changes/snapshot.ts";
import { migrationNames, RELEASED_FILE, type Released } from "../migrations/released.ts";

/** Lists of exceptions, each of a change that the release before did not have. */
const EXCEPTIONS = ["tools/breaking-changes/allowed.ts", "tools/migrations/allowed.ts"];

/** Writes what changes after the release are compared with (docs/versioning.md), and empties the lists of exceptions. */
export function writeSnapshot(version: string, commit: string): void {
  const document = JSON.parse(readFileSync(`${ROOT}docs/openapi.json`, "utf8"));
  writeFileSync(`${ROOT}docs/openapi.released.json`, printReleased(document));
  writeFileSync(`${ROOT}docs/schema.released.graphql`, printReleasedSchema(buildApiSchema()));
  const released: Released = { version, commit, migration: migrationNames().at(-1) ?? "" };
  writeFileSync(RELEASED_FILE, `${JSON.stringify(released, null, 2)}\n`);
  copyFileSync(`${ROOT}prisma/grants.sql`, `${ROOT}prisma/grants.released.sql`);
  for (const file of EXCEPTIONS) {
    const text = readFileSync(ROOT + file, "utf8");
    const emptied = text.replaceAll(/^(export const .+ = [[{])\n[\s\S]*?\n([\]}];)$/gm, "$1$2");
    writeFileSync(ROOT + file, emptied);
  }
}
