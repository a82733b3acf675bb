import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Parts of a checkout that programs and tests need, besides node_modules. */
const PARTS = [
  "build.mjs",
  "dist",
  "indexer",
  "package.json",
  "packages",
  "prisma",
  "schema",
  "src",
  "test",
  "test-results/programs",
  "tools/sbom.mjs",
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
  const parents = (option: string, names: string[]) =>
    execFileSync("cp", [option, "--parents", ...names, root], { cwd: ROOT, stdio: "pipe" });
  // A build is current as long as its sources have the times that it noted, to the microsecond.
  parents("-Rp", PARTS);
  try {
    parents("-Rl", packages());
  } catch {
    rmSync(join(root, "node_modules"), { recursive: true, force: true });
    parents("-R", packages());
  }
  for (const directory of ["dist", "test-results/programs"]) keepBuild(join(root, directory));
  return { root, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** Large, and of no use to programs and tests in the copy: half of the files of all packages. */
const LEFT_OUT = [
  "@faker-js",
  "@redocly",
  "@stryker-mutator",
  "effect",
  "kubernetes-models",
  "newman",
  "openapi-typescript",
  "rxjs",
];

/** Returns what is in node_modules, without what is of no use, and without what other tests may write there meanwhile. */
const packages = (): string[] =>
  [
    ...readdirSync(join(ROOT, "node_modules")).filter(
      (name) => name !== ".cache" && !LEFT_OUT.includes(name),
    ),
    ".cache/test-packages",
  ].map((name) => join("node_modules", name));

/** Removes the log of the repository, which the copy lacks, from the sources of a build: the build is current without it. */
function keepBuild(directory: string): void {
  const file = join(directory, "made-of.json");
  if (!existsSync(file)) return;
  const record = JSON.parse(readFileSync(file, "utf8"));
  for (const path of Object.keys(record.sources))
    if (/(^|\/)logs\/HEAD$/.test(path)) delete record.sources[path];
  writeFileSync(file, JSON.stringify(record));
}
