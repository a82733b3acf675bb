// Packages in ESM form that nearly every test file loads, each as a few files instead of hundreds. Jest reads, compiles and
// links every module again for every test file: bundled, a file that loads viem and zod takes 0.1 s less of the processor.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CACHE = `${ROOT}node_modules/.cache/test-packages/`;
/** All that is imported of these packages, save Ponder: a module that is bundled here and loaded from elsewhere would exist twice. */
const PACKAGES = [
  "viem",
  "viem/accounts",
  "viem/utils",
  "zod",
  // Those of the Model Context Protocol's SDK.
  "zod/v3",
  "zod/v4",
  "zod/v4-mini",
  "ox/erc8021",
  "ox/Keystore",
  "ethers",
  "ponder",
];
/** Part of Ponder that tests use, to declare the index's tables. All of it would be 500 files more, with its server and GraphQL. */
const PONDER = 'export { index, onchainTable, primaryKey, sql } from "ponder";';
const partOfPonder = {
  name: "part-of-ponder",
  setup(build) {
    build.onResolve({ filter: /^ponder$/ }, ({ kind }) =>
      kind === "entry-point" ? { path: "ponder", namespace: "part" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "part" }, () => ({ contents: PONDER, resolveDir: ROOT }));
    build.onResolve({ filter: /./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === "resolved" || !importer.includes("/node_modules/ponder/")) return undefined;
      const options = { importer, resolveDir, kind, pluginData: "resolved" };
      // An export that is not used goes, and all that it imports.
      return { ...(await build.resolve(path, options)), sideEffects: false };
    });
  },
};
/** Any other part of them is not found, with this file's name in the error. */
const OTHER_PART = "^(viem|zod|ox|ethers|ponder)/";
const fileOf = (name) => name.replace("/", "-");

/** Bundles the packages, unless that was done since npm last installed any. @returns Jest's option `moduleNameMapper` */
export async function bundlePackages() {
  const directory = CACHE + hashOf(fileURLToPath(import.meta.url), `${ROOT}node_modules/.package-lock.json`);
  if (!existsSync(directory)) await bundle(directory);
  const bundled = PACKAGES.map((name) => [`^${name}$`, `${directory}/${fileOf(name)}.mjs`]);
  return Object.fromEntries([...bundled, [OTHER_PART, `${directory}/is-not-in-bundled-packages.mjs`]]);
}

async function bundle(directory) {
  const unfinished = `${directory}.${process.pid}`;
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(PACKAGES.map((name) => [fileOf(name), name])),
    outdir: unfinished,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // Names of classes are shown in messages.
    keepNames: true,
    plugins: [partOfPonder],
    // The entry point of the one is CommonJS; no test uses the other, 8 MB.
    external: ["ws", "pg-query-emscripten"],
    logLevel: "error",
  });
  try {
    renameSync(unfinished, directory);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    // Another run has bundled them meanwhile.
    if (!existsSync(directory)) throw error;
  }
}

function hashOf(...files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}
