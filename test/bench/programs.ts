import { join } from "node:path";
import { build, programsBundle } from "../../build.mjs";
import { ROOT } from "../../src/config/root.ts";

/** The bench's own programs. They are bundled like those of production, so that no contestant runs in another way. */
const PROGRAMS = [
  "test/bench/load/generator.ts",
  "test/bench/contestants/by-hand/server.ts",
  "test/bench/contestants/by-hand/bound.ts",
  "test/bench/contestants/floor-server.ts",
];
const DIRECTORY = join(ROOT, "test-results/bench-programs");

/** Builds them, and those of production. */
export async function buildPrograms(): Promise<void> {
  await build();
  await build([programsBundle(PROGRAMS)], DIRECTORY);
}

/**
 * Returns what one of them became in the build.
 * @param script relative to the repository's root
 */
export const benchScript = (script: string): string => join(DIRECTORY, script.replace(/\.ts$/, ".js"));
