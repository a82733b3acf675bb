// `npm run test:ponder -- 0.16.10`: the fault tests of the indexer on another published version of Ponder, in a clone of the last commit
// that is removed afterwards.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMisfits } from "../indexer/ponder-patches.mjs";
import { run, runJest } from "./installed.mjs";
import { root } from "./stages.mjs";

const RUNS = [["--selectProjects", "faults", "--runInBand", "--forceExit", "test/faults/indexer-"]];

const version = process.argv[2] ?? "";
const clone = mkdtempSync(join(tmpdir(), "on-ponder-"));
try {
  testOn();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(clone, { recursive: true, force: true });
}

function testOn() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("usage: npm run test:ponder -- VERSION");
  // PostgreSQL's server has a user of its own where this is root's.
  chmodSync(clone, 0o755);
  const inClone = { stdio: "inherit", cwd: clone };
  run("git", ["clone", "--quiet", root, clone], inClone);
  run("npm", ["pkg", "set", `dependencies.ponder=${version}`], inClone);
  run("npm", ["install", "--no-audit", "--no-fund"], inClone);
  process.stdout.write(`== on Ponder ${version}\n`);
  const misfits = findMisfits(join(clone, "node_modules/ponder"));
  if (misfits.length > 0) throw new Error(`changes that do not fit this version:\n${misfits.join("\n")}`);
  run(process.execPath, ["build.mjs"], inClone);
  runJest(process.execPath, RUNS, process.env, clone);
}
