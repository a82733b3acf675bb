// `npm run lock:complete`: completes package-lock.json after dependencies changed. `npm ci` demands an entry for every optional
// dependency. npm writes none for a binary of another platform that the registry in use lacks.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const LOCK_FILE = new URL("../package-lock.json", import.meta.url);

const OPERATING_SYSTEMS = {
  aix: "aix",
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  netbsd: "netbsd",
  openbsd: "openbsd",
  openharmony: "openharmony",
  sunos: "sunos",
  win32: "win32",
  windows: "win32",
};
const PROCESSORS = {
  amd64: "x64",
  arm: "arm",
  arm64: "arm64",
  ia32: "ia32",
  loong64: "loong64",
  mips64el: "mips64el",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
  x64: "x64",
};
const C_LIBRARIES = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" };

/**
 * Returns the entries that a lock file lacks, by their path.
 * @throws Error naming a package whose platform or version cannot be derived
 */
export function missingEntries(lock) {
  const missing = {};
  const known = () => ({ ...lock.packages, ...missing });
  for (const [parentPath, parent] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
      const version = lowestVersion(name, range);
      const found = lookUp(known(), parentPath, name);
      if (found && (found.version === version || range !== version)) continue;
      const path = found ? `${parentPath}/node_modules/${name}` : `node_modules/${name}`;
      const { os, cpu, libc } = platformOf(name);
      // In npm's own order, so that its next run changes nothing.
      missing[path] = { version, cpu, ...groupOf(parent), ...libc, optional: true, os };
    }
  }
  return missing;
}

/** Returns the lock file with all entries, in the order in which npm writes them. */
export function completeLock(lock) {
  const { "": root, ...packages } = { ...lock.packages, ...missingEntries(lock) };
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lock, packages: { "": root, ...Object.fromEntries(sorted) } };
}

/** Finds a package as Node does: in the parent's own folder, then in those above it. */
function lookUp(packages, parentPath, name) {
  for (let path = parentPath; ; path = path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/")))) {
    const found = packages[path === "" ? `node_modules/${name}` : `${path}/node_modules/${name}`];
    if (found || path === "") return found;
  }
}

function groupOf({ dev, devOptional }) {
  if (dev) return { dev };
  return devOptional ? { devOptional } : {};
}

function lowestVersion(name, range) {
  const version = /^[\^~]?(\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)$/.exec(range)?.[1];
  if (version === undefined) throw new Error(`cannot derive a version of ${name} from ${range}`);
  return version;
}

/** Derives os, cpu and, where given, libc from a package's name. With them npm skips the package on every other platform. */
function platformOf(name) {
  const words = name.split("/").at(-1).split("-");
  const pick = (values) => words.map((word) => values[word]).find(Boolean);
  const [os, cpu, libc] = [OPERATING_SYSTEMS, PROCESSORS, C_LIBRARIES].map(pick);
  if (!os || !cpu) throw new Error(`cannot derive the platform of ${name} from its name`);
  return { os: [os], cpu: [cpu], libc: os === "linux" && libc ? { libc: [libc] } : {} };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const lock = JSON.parse(readFileSync(LOCK_FILE, "utf8"));
  const paths = Object.keys(missingEntries(lock));
  writeFileSync(LOCK_FILE, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
  process.stdout.write(`${paths.length} entries added to package-lock.json\n`);
}
