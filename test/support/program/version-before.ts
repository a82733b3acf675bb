import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../../src/config/root.ts";
import { readReleased } from "../../../tools/migrations/released.ts";

const run = promisify(execFile);

/** The last released version, built in a directory of its own. */
export interface VersionBefore {
  root: string;
  remove(): void;
}

/**
 * Checks out and builds the commit that prisma/released.json names, with the packages that are installed here: one that it needs
 * stays in package.json until the next release. Needs the part `history`.
 */
export async function buildVersionBefore(): Promise<VersionBefore> {
  const { commit } = readReleased();
  const directory = mkdtempSync(join(tmpdir(), "partner-before-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const root = join(directory, "checkout/");
  mkdirSync(root);
  try {
    await run("git", ["archive", "--output", join(directory, "sources.tar"), commit], { cwd: ROOT });
    await run("tar", ["-xf", join(directory, "sources.tar"), "-C", root]);
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    const env = { ...process.env, SOURCE_COMMIT: commit.slice(0, 12) };
    for (const script of ["src/db/generate.mjs", "build.mjs"])
      await run(process.execPath, [script], { cwd: root, env });
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
