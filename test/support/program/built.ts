import { join } from "node:path";
import { ROOT } from "../../../src/config/root.ts";

/**
 * Returns the JavaScript that a TypeScript program of this repository became in the build at the start of this run: it
 * starts in a quarter of the CPU time that tsx takes.
 * @param script relative to the repository's root
 */
export function builtScript(script: string, root = ROOT): string {
  const directory = script.startsWith("test/") ? "test-results/programs" : "dist";
  return join(root, directory, script.replace(/\.ts$/, ".js"));
}
