import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What programs and tests need of a checkout, beside node_modules. */
const PARTS = [
  "build.mjs",
  "dist",
  "indexer",
  "package.json",
  "prisma",
  "schema",
  "src",
  "test",
  "tsconfig.json",
];

/** A copy of this checkout, with node_modules of its own. */
export interface Checkout {
  root: string;
  remove(): void;
}

/**
 * Copies this checkout below a home directory that only its owner can enter (mode 0700). Packages are hard links where the
 * file system allows them, so that they really are in the copy: a symbolic link would lead back to the open directory.
 */
export function copyToClosedHome(): Checkout {
  const home = mkdtempSync(join(tmpdir(), "partner-home-"));
  const root = join(home, "checkout");
  mkdirSync(root);
  // A build is current as long as its sources have the times that it noted, to the microsecond.
  execFileSync("cp", ["-Rp", ...PARTS.map((part) => join(ROOT, part)), root], { stdio: "pipe" });
  const modules = [join(ROOT, "node_modules"), join(root, "node_modules")];
  try {
    execFileSync("cp", ["-Rl", ...modules], { stdio: "pipe" });
  } catch {
    rmSync(join(root, "node_modules"), { recursive: true, force: true });
    execFileSync("cp", ["-R", ...modules], { stdio: "pipe" });
  }
  return { root, remove: () => rmSync(home, { recursive: true, force: true }) };
}
