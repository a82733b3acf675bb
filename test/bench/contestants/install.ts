import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../../src/config/root.ts";

/**
 * PostGraphile has a lock file of its own, and is no dependency of this project: its 124 packages serve the
 * bench alone.
 */
export const POSTGRAPHILE = join(ROOT, "test/bench/contestants/postgraphile");

export const isPostgraphileInstalled = (): boolean =>
  existsSync(join(POSTGRAPHILE, "node_modules/postgraphile"));

/** Installs it where it is missing; where that fails, the bench goes on without it. */
export async function installPostgraphile(): Promise<void> {
  if (isPostgraphileInstalled()) return;
  await promisify(execFile)("npm", ["ci"], { cwd: POSTGRAPHILE, timeout: INSTALL_MS }).catch(() => undefined);
}

const INSTALL_MS = 120_000;
