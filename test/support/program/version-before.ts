import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../../src/config/root.ts";
import { readReleased } from "../../../tools/migrations/released.ts";

const run = promisify(execFile);
const MODULES = join(ROOT, "node_modules");
const CACHE = join(MODULES, ".cache/version-before");

/**
 * Checks out and builds the last released version, the commit that prisma/released.json names, with the packages that are
 * installed here: one that its programs need stays in package.json until the next release. It is built once for each installation of
 * packages. Needs the part `history`.
 * @returns its directory
 */
export async function buildVersionBefore(): Promise<string> {
  const { commit } = readReleased();
  const installed = readFileSync(join(MODULES, ".package-lock.json"));
  const root = join(CACHE, createHash("sha256").update(commit).update(installed).digest("hex").slice(0, 16));
  if (!existsSync(root)) await build(commit, root);
  return `${root}/`;
}

/** Files that the release copies into its reference page, which no test opens, and is installed no more; and what its build replaces there. */
const GONE = "@scalar/api-reference/dist/browser/standalone.js";
const REPLACED = [
  'try{return new Function(""),!0}catch',
  "e.properties.style=[`--line-count:",
  'console.warn("document validation errors: "),console.warn(',
];

/** Gives a checkout the packages that are installed here, and a file in the place of what is gone. */
function linkModules(modules: string): void {
  mkdirSync(modules);
  // Relative: below node_modules/.cache they lead to the same packages in a copy of this checkout, too.
  for (const name of readdirSync(MODULES))
    if (name !== ".cache" && name !== "@scalar") symlinkSync(join("../../../..", name), join(modules, name));
  mkdirSync(join(modules, dirname(GONE)), { recursive: true });
  writeFileSync(join(modules, GONE), REPLACED.join("\n"));
}

/** Builds beside its place and moves it there: a build that is cut short is never used. */
async function build(commit: string, root: string): Promise<void> {
  const unfinished = `${root}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const sources = join(unfinished, "sources.tar");
    await run("git", ["archive", "--output", sources, commit, "--", ".", ":(exclude)test"], { cwd: ROOT });
    await run("tar", ["-xf", sources, "-C", unfinished]);
    rmSync(sources);
    linkModules(join(unfinished, "node_modules"));
    const env = { ...process.env, SOURCE_COMMIT: commit.slice(0, 12) };
    for (const script of ["src/db/generate.mjs", "build.mjs"])
      await run(process.execPath, [script], { cwd: unfinished, env });
    renameSync(unfinished, root);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run may have built it meanwhile.
    if (!existsSync(root)) throw error;
  }
}
