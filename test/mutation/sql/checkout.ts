import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Mutant, mutate } from "./mutant.ts";

const run = promisify(execFile);

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Files and folders of a checkout that tests read. */
const PARTS = [
  "CHANGELOG.md",
  "build.mjs",
  "dist",
  "docs",
  "examples",
  "indexer",
  "package.json",
  "packages",
  "prisma",
  "schema",
  "src",
  "test",
  "tools/sbom.mjs",
  "tsconfig.json",
];

/** Builds the programs: tests start the indexer as a program, and load everything else as it is. */
const build = (root: string) => run(process.execPath, ["build.mjs"], { cwd: root });

/** A copy of the checkout that mutants are applied to. */
export interface MutantCheckout {
  root: string;
  /** Applies a mutant to the copy, runs `work` and restores the file. */
  withMutant<T>(mutant: Mutant, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

/** Copies the checkout to a temporary directory, which goes with this process. Packages are linked. */
export function copyCheckout(): MutantCheckout {
  const root = mkdtempSync(join(tmpdir(), "partner-trading-mutants-"));
  for (const part of PARTS) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  // Also where the runner is stopped.
  process.once("exit", remove);
  return {
    root,
    async withMutant(mutant, work) {
      const file = join(root, mutant.file);
      const source = readFileSync(file, "utf8");
      writeFileSync(file, mutate(source, mutant));
      const isBuilt = mutant.file.startsWith("indexer/");
      try {
        if (isBuilt) await build(root);
        return await work();
      } finally {
        writeFileSync(file, source);
        if (isBuilt) await build(root);
      }
    },
    remove,
  };
}
