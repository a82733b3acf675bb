// `npm run test:node24`: the unit tests and the story of test/e2e on another version of Node than the installed one, whose
// binary comes as a package. It is kept in the user's cache, outside node_modules: nothing else may run on it by accident.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const VERSIONS = ["22", "24"];
const RUNS = [
  ["--selectProjects", "unit"],
  ["--selectProjects", "e2e", "--runInBand", "--forceExit", "test/e2e/story"],
];

try {
  testOn(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function testOn(version) {
  if (!VERSIONS.includes(version)) throw new Error(`usage: node test/on-node.mjs ${VERSIONS.join("|")}`);
  const programs = join(install(version), "node_modules/node/bin");
  const node = join(programs, "node");
  const actual = run(node, ["--version"], { stdio: "pipe", encoding: "utf8" }).stdout.trim();
  if (!actual.startsWith(`v${version}.`)) throw new Error(`expected Node ${version}, found ${actual}`);
  process.stdout.write(`== on Node ${actual}\n`);
  // First in the path: `npm start` and all programs that it starts run on it too.
  const env = { ...process.env, PATH: programs + delimiter + process.env.PATH };
  const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
  for (const what of RUNS)
    run(node, [...jest, "-c", "test/jest.config.mjs", ...what], { stdio: "inherit", cwd: root, env });
}

/** Installs a version once. @returns its folder */
function install(wanted) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "partner-trading-api");
  const folder = join(cache, `node-${wanted}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  // Moved to its place when complete: an install that is cut short is never used.
  const own = mkdtempSync(join(cache, "installing-"));
  try {
    // The package fetches the binary of this platform when it is installed.
    writeFileSync(join(own, "package.json"), JSON.stringify({ private: true, allowScripts: { node: true } }));
    run("npm", ["install", "--no-audit", "--no-fund", `node@${wanted}`], { stdio: "inherit", cwd: own });
    renameSync(own, folder);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return folder;
}

/** Runs a program to its end. @throws Error where it fails */
function run(program, args, options) {
  const result = spawnSync(program, args, options);
  if (result.error) throw result.error;
  if (result.status !== 0)
    throw new Error(`${program} ended with ${result.signal ?? `code ${result.status}`}`);
  return result;
}
