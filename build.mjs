// `npm run build`: bundles each program, with the packages it uses, to plain JavaScript in dist/. Types are checked elsewhere
// (`npm run typecheck`). Node.js opens some fifteen files to start a bundled program instead of 1,300, and takes a quarter of
// the processor time that it takes through tsx.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PONDER_PROGRAM, PONDER_ROOT } from "./indexer/bundles.mjs";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
/** A package of packages/ is built with the service where npm has installed it (`npm install --workspaces=false` does not). */
const hasPackage = (name) => existsSync(join(ROOT, "node_modules", name, "package.json"));
const PROGRAMS = [
  ...["api", "worker", "deliverer", "indexer", "prober", "migrate", "roles"].map(
    (name) => `src/bin/${name}.ts`,
  ),
  ...(hasPackage("partner-trading-admin")
    ? ["packages/admin/src/main.ts", "packages/admin/src/backup-check/main.ts"]
    : []),
  ...(hasPackage("partner-trading-sandbox") ? ["packages/sandbox/src/up.ts"] : []),
];
/** Lists the sources of a build and their state; a file in the output directory. */
const RECORD = "made-of.json";
/** Lists the packages in a build; beside it. */
const SBOM = "sbom.json";
const LOCK = "node_modules/.package-lock.json";
/** The build depends on them besides the sources: how bundles are made, and which packages npm installed. */
const INSTALLED = [
  "build.mjs",
  "indexer/bundles.mjs",
  "indexer/ponder-patches.mjs",
  "indexer/ponder-database.mjs",
  "packages/pages/bundle.mjs",
  "tools/sbom.mjs",
  LOCK,
  "package.json",
];
/** Excludes files of packages: a change of them changes .package-lock.json, and to check 3,500 files takes 70 ms at each start. */
const isOwnSource = (path) => !/^node_modules\/|^\(disabled\)|^[\w-]{2,}:/.test(path);
/** Packages in CommonJS form call it, which a module does not have. */
const REQUIRE =
  'import { createRequire as createBundleRequire } from "node:module";\n' +
  "const require = createBundleRequire(import.meta.url);";

/** Returns the bundle of some programs; `src/bin/api.ts` becomes `<directory>/src/bin/api.js`. */
export function programsBundle(programs) {
  return { entryPoints: programs, outbase: ROOT, banner: { js: REQUIRE } };
}

/** Bundles the partners' command as one file, without what other programs use: it starts fast and can be packed. */
export const partnersCommand = { ...programsBundle(["packages/client/src/cli/main.ts"]), splitting: false };

const { PAGES } = hasPackage("partner-trading-pages")
  ? await import("./packages/pages/bundle.mjs")
  : { PAGES: [] };
const ALL = [
  programsBundle(PROGRAMS),
  ...(hasPackage("partner-trading") ? [partnersCommand] : []),
  PONDER_ROOT,
  PONDER_PROGRAM,
  ...PAGES,
];

/**
 * Bundles programs into a directory, where nothing of an earlier build stays. Two builds at once of the same bundles do
 * not disturb each other, nor a program that is starting: a file is replaced whole, and only where it differs. Other
 * bundles need a directory of their own, because the set decides how what they share is divided among files. A build that
 * is current is left as it is, and so is one where esbuild is not installed: production has no development dependencies.
 * @param bundles options of esbuild; `outdir` is relative to the directory
 * @returns the directory
 */
export async function build(bundles = ALL, directory = join(ROOT, "dist")) {
  const recordFile = join(directory, RECORD);
  const entryPoints = bundles.map((bundle) => bundle.entryPoints);
  if (isCurrent(directory, entryPoints)) return directory;
  if (!isInstalled("esbuild")) return shipped(directory, entryPoints);
  const startedMs = Date.now();
  const { commit, reflog } = readCommit();
  const results = await Promise.all(bundles.map((options) => bundle(options, directory, commit)));
  const metafiles = results.map(({ metafile }) => metafile);
  const sbom = await sbomOf(metafiles, entryPoints.flat());
  const clients = bundles === ALL && hasPackage("partner-trading") ? await packedClients(directory) : null;
  const outputFiles = [
    ...results.flatMap((result) => result.outputFiles),
    ...(clients?.files ?? []),
    { path: join(directory, SBOM), contents: sbom },
  ];
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const sources = [
    ...new Set([...INSTALLED, ...reflog, ...inputs.filter(isOwnSource), ...(clients?.sources ?? [])]),
  ];
  const record = {
    entryPoints,
    sources: Object.fromEntries(sources.map((path) => [path, stateOf(path)])),
    files: outputFiles.map(({ path }) => relative(directory, path)),
  };
  rmSync(recordFile, { force: true });
  for (const { path, contents } of outputFiles) replace(path, contents);
  const built = new Set(outputFiles.map(({ path }) => path));
  for (const file of filesIn(directory)) if (!built.has(file)) rmSync(file, { force: true });
  // Last: a build that was cut short is made again, and so is one that an edit has overtaken.
  const wasEdited = sources.some((path) => (statOf(path)?.mtimeMs ?? 0) >= startedMs);
  if (!wasEdited) replace(recordFile, Buffer.from(JSON.stringify(record)));
  return directory;
}

/** Returns the packages of the clients as files of a build, which the api serves, and what they are made of. */
async function packedClients(directory) {
  const { clientSources, packClients } = await import("./packages/client/pack.mjs");
  const service = { build, partnersCommand, programsBundle };
  const mcp = hasPackage("partner-trading-mcp") ? await import("./packages/mcp/pack.mjs") : null;
  const files = Object.entries(await packClients(service, await mcp?.packServer(service)));
  return {
    files: files.map(([name, contents]) => ({ path: join(directory, "clients", name), contents })),
    sources: [...clientSources(), ...(mcp?.serverSources() ?? [])],
  };
}

/** Returns the text of the bill of materials. What makes it is loaded only where something is built, as esbuild is. */
async function sbomOf(metafiles, entryPoints) {
  const { makeSbom } = await import("./tools/sbom.mjs");
  const read = (file) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));
  const sbom = makeSbom(metafiles, entryPoints, read("package.json"), read(LOCK).packages);
  return Buffer.from(`${JSON.stringify(sbom, null, 2)}\n`);
}

/** Loads esbuild only where something is built: a program that is current starts without it. */
async function bundle({ outdir = ".", plugins = [], define = {}, ...options }, directory, commit) {
  const esbuild = await import("esbuild");
  return esbuild.build({
    absWorkingDir: ROOT,
    outdir: join(directory, outdir),
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // No `keepNames`: it names each function within a function anew whenever the outer one runs. No class is met by its name.
    logLevel: "error",
    // Node.js has it from version 21 on. Without it `pg` detects Cloudflare's runtime by making a Response, which loads all
    // of fetch.
    define: {
      navigator: '{ "userAgent": "Node.js" }',
      // See src/config/version.ts.
      BUILD_COMMIT: JSON.stringify(commit),
      ...define,
    },
    plugins: [...plugins, { name: "lean-packages", setup: leanPackages }],
    ...options,
  });
}

/** Leaves out what programs never use of a package, and would load at every start. */
function leanPackages(build) {
  // Every language of zod's messages, 350 kB, of which `z` holds on to all.
  build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
    contents: 'export { default as en } from "./en.js";',
  }));
  // Prisma's query compiler is in a module as base64. Prisma decodes what this exports, and a Buffer is decoded already.
  const base64 = /[\\/]query_compiler_\w+\.postgresql\.wasm-base64\.mjs$/;
  build.onLoad({ filter: base64, namespace: "file" }, ({ path }) => ({
    contents:
      'import { readFileSync } from "node:fs";\n' +
      `import file from ${JSON.stringify(path.replace(/-base64\.mjs$/, ""))};\n` +
      "export const wasm = readFileSync(new URL(file, import.meta.url));",
  }));
  build.onResolve({ filter: /[\\/]query_compiler_\w+\.postgresql\.wasm$/ }, ({ path }) => ({
    path,
    namespace: "wasm",
  }));
  build.onLoad({ filter: /.*/, namespace: "wasm" }, async ({ path }) => {
    const { wasm } = await import(pathToFileURL(`${path}-base64.mjs`).href);
    return { contents: Buffer.from(wasm, "base64"), loader: "file" };
  });
}

/**
 * Returns the commit that is checked out, and the log of it, which every commit and checkout changes: a build of another
 * commit is made again. SOURCE_COMMIT names the commit where the sources were copied without their repository.
 */
function readCommit() {
  const git = (...args) =>
    execFileSync("git", ["--no-optional-locks", ...args], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  try {
    const isModified = git("status", "--porcelain", "--untracked-files=no") !== "";
    const commit = `${git("rev-parse", "--short=12", "HEAD")}${isModified ? "-modified" : ""}`;
    return { commit, reflog: [relative(ROOT, resolve(ROOT, git("rev-parse", "--git-path", "logs/HEAD")))] };
  } catch {
    return { commit: process.env.SOURCE_COMMIT || "unknown", reflog: [] };
  }
}

function isCurrent(directory, entryPoints) {
  const made = readComplete(directory, entryPoints);
  return made !== null && Object.entries(made.sources).every(([path, state]) => stateOf(path) === state);
}

function shipped(directory, entryPoints) {
  if (readComplete(directory, entryPoints)) return directory;
  throw new Error(
    `${directory} holds no complete build, and esbuild is not installed: ` +
      "run `npm ci && npm run build` where development dependencies may be installed, and copy dist/ from there",
  );
}

/** Returns the record of a build of these programs; null where there is none, or one of its files is missing. */
function readComplete(directory, entryPoints) {
  try {
    const made = JSON.parse(readFileSync(join(directory, RECORD), "utf8"));
    const isOfThese = JSON.stringify(made.entryPoints) === JSON.stringify(entryPoints);
    return isOfThese && made.files.every((file) => existsSync(join(directory, file))) ? made : null;
  } catch {
    // Never built.
    return null;
  }
}

function isInstalled(name) {
  try {
    return createRequire(import.meta.url).resolve(name) !== "";
  } catch {
    return false;
  }
}

/** Size and time of the last change, as `make` would compare them. */
function stateOf(path) {
  const stat = statOf(path);
  return stat ? `${stat.size} ${stat.mtimeMs}` : "absent";
}

function statOf(path) {
  return statSync(join(ROOT, path), { throwIfNoEntry: false });
}

function filesIn(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".partial"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function replace(file, content) {
  try {
    if (readFileSync(file).equals(content)) return;
  } catch {
    mkdirSync(dirname(file), { recursive: true });
  }
  const partial = `${file}.${process.pid}.partial`;
  writeFileSync(partial, content);
  renameSync(partial, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
