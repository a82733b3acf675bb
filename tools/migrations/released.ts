import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";
import type { Migration } from "./check.ts";

export const RELEASED_FILE = `${ROOT}prisma/released.json`;
const FOLDER = `${ROOT}prisma/migrations`;

/** Last release: the version that runs beside the next one during its replacement. */
const released = z.object({
  version: z.string(),
  /** Commit whose sources are those of the release. */
  commit: z.string(),
  /** Last migration that it has. */
  migration: z.string(),
});

export type Released = z.output<typeof released>;

export const readReleased = (): Released => released.parse(JSON.parse(readFileSync(RELEASED_FILE, "utf8")));

/** Returns the names of all migrations, oldest first. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Returns the migrations that the last release lacks, oldest first. */
export function unreleasedMigrations(): Migration[] {
  const { migration: last } = readReleased();
  return migrationNames()
    .filter((name) => name > last)
    .map((name) => ({ name, sql: readFileSync(`${FOLDER}/${name}/migration.sql`, "utf8") }));
}
