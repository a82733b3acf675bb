import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What programs and tests need of a checkout. */
const PARTS = [
  "build.mjs",
  "dist",
  "indexer",
  "node_modules",
  "package.json",
  "prisma",
  "schema",
  "src",
  "test",
  "test-results/programs",
  "tsconfig.json",
];

/** A copy of this checkout, with node_modules of its own. */
export interface Checkout {
  root: string;
  remove(): void;
}

/**
 * Copies this checkout below a home directory that only its owner can enter (mode 0700). Files are hard links where the
 * file system allows them, so that they really are in the copy: a symbolic link would lead back to the open directory.
 */
export function copyToClosedHome(): Checkout {
  const home = mkdtempSync(join(tmpdir(), "partner-home-"));
  const root = join(home, "checkout");
  mkdirSync(root);
  const parts = ["--parents", ...PARTS, root];
  try {
    execFileSync("cp", ["-Rl", ...parts], { cwd: ROOT, stdio: "pipe" });
  } catch {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    // A build is current as long as its sources have the times that it noted, to the microsecond.
    execFileSync("cp", ["-Rp", ...parts], { cwd: ROOT, stdio: "pipe" });
  }
  for (const directory of ["dist", "test-results/programs"]) keepBuild(join(root, directory));
  return { root, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** Removes the log of the repository, which the copy lacks, from the sources of a build: the build is current without it. */
function keepBuild(directory: string): void {
  const file = join(directory, "made-of.json");
  if (!existsSync(file)) return;
  const record = JSON.parse(readFileSync(file, "utf8"));
  for (const path of Object.keys(record.sources))
    if (/(^|\/)logs\/HEAD$/.test(path)) delete record.sources[path];
  // It may be a link to that of the checkout.
  rmSync(file);
  writeFileSync(file, JSON.stringify(record));
}
