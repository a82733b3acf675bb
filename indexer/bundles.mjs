// The two bundles of the indexer's process (build.mjs). Ponder's program consists of 2,600 files, starts Vite, and loads and
// transforms the project and what it imports through it, each time it starts. Bundled, a start takes a third of the processor
// time.
import { readdirSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { applyPatches } from "./ponder-patches.mjs";

const PONDER_PACKAGES = ["ponder", "@ponder/utils"];
const INDEXER = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** A file per contract, named after it, registers the handlers; what they share has a name in lower case. */
const HANDLERS = readdirSync(`${INDEXER}src`).filter((file) => /^[A-Z]\w*\.ts$/.test(file));

/**
 * Bundles the Ponder project (configuration, tables, handlers, routes) under the file names that Ponder expects. It looks for
 * these files and hashes them, and so does build.ts; what it runs is in PONDER_PROGRAM, from the same sources. Of packages
 * only Ponder's own are bundled, the used part of them: an update of another one does not make another build of the indexer.
 */
export const PONDER_ROOT = {
  entryPoints: [
    "indexer/ponder.config.ts",
    "indexer/ponder.schema.ts",
    ...HANDLERS.map((file) => `indexer/src/${file}`),
    "indexer/src/api/index.ts",
  ],
  outbase: INDEXER,
  outdir: "indexer",
  outExtension: { ".js": ".ts" },
  // Ponder runs each file in src/.
  chunkNames: "chunks/[name]-[hash]",
  plugins: [{ name: "ponder-root", setup: bundlePonderAlone }],
};

function bundlePonderAlone(build) {
  const resolve = async ({ path, importer, resolveDir, kind }) => ({
    ...(await build.resolve(path, { importer, resolveDir, kind, pluginData: "resolved" })),
    // An export that is not used goes, and all that it imports.
    sideEffects: false,
  });
  build.onResolve({ filter: /^[^./]/ }, (args) => {
    if (args.kind === "entry-point" || args.pluginData === "resolved") return undefined;
    return PONDER_PACKAGES.includes(args.path)
      ? resolve(args)
      : { path: args.path, external: true, sideEffects: false };
  });
  build.onResolve({ filter: /^\.\.?\// }, (args) =>
    args.pluginData !== "resolved" && /node_modules\/@?ponder\//.test(args.importer)
      ? resolve(args)
      : undefined,
  );
}

const PONDER = "node_modules/ponder/dist/esm/";
/** Provided by native-modules.mjs in the place of Vite. */
const VITE = /^(vite|vite-node\/(client|server|source-map|utils)|vite-tsconfig-paths)$/;

/** Ponder's program and the project, bundled together: they share packages, and Node.js loads the project instead of Vite. */
export const PONDER_PROGRAM = {
  entryPoints: ["indexer/ponder.mjs"],
  entryNames: "[name]",
  outdir: "ponder",
  plugins: [{ name: "ponder-program", setup: bundleProgram }],
  define: { "import.meta.url": "ponderProgramUrl" },
  banner: {
    js:
      'import { createRequire as createBundleRequire } from "node:module";\n' +
      'const ponderProgramUrl = new URL("bin/ponder.js", import.meta.resolve("ponder")).href;\n' +
      "const require = createBundleRequire(ponderProgramUrl);",
  },
};

function bundleProgram(build) {
  const virtual = (filter, namespace) => build.onResolve({ filter }, ({ path }) => ({ path, namespace }));
  virtual(VITE, "native");
  virtual(/^@electric-sql\/pglite$/, "pglite");
  virtual(/^ponder\/version$/, "version");
  virtual(/^ponder:(registry|schema|api)$/, "ponder");
  virtual(/\/codegen\.js$/, "codegen");
  build.onResolve({ filter: /^ponder\/start$/ }, () => ({ path: `${ROOT}${PONDER}bin/commands/start.js` }));
  // Loaded by nothing that `start` does.
  build.onResolve({ filter: /^pg-(native|query-emscripten)$/ }, ({ path }) => ({ path, external: true }));
  build.onResolve({ filter: /^\.\.?\// }, async ({ path, importer, resolveDir, kind, pluginData }) => {
    if (pluginData === "resolved" || !importer.includes("/ponder/dist/esm/")) return undefined;
    const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: "resolved" });
    return { ...found, sideEffects: false };
  });

  const load = (namespace, contentsOf) =>
    build.onLoad({ filter: /.*/, namespace }, async ({ path }) => ({
      contents: await contentsOf(path),
      resolveDir: ROOT,
    }));
  applyPatches(build);
  load("native", () => nativeModules());
  load("version", () => `export { version } from "./node_modules/ponder/package.json";`);
  // It would write a file for the editor into the project, at each start.
  load("codegen", () => "export const runCodegen = () => undefined;");
  // Only where no PostgreSQL is configured.
  load("pglite", () => "export class PGlite {}\nexport const types = {};");
  load("ponder", async (id) => {
    const { vitePluginPonder } = await import(`${ROOT}${PONDER}build/plugin.js`);
    return vitePluginPonder({ schemaFile: `${INDEXER}ponder.schema.ts` }).load(id);
  });
}

/** Returns the module that replaces Vite, with all modules that Ponder may ask for. */
function nativeModules() {
  const files = PONDER_ROOT.entryPoints.map((file) => relative("indexer", file));
  const modules = [
    ...files.map((file) => [file, `${INDEXER}${file}`]),
    ...["ponder:registry"].map((id) => [id, id]),
  ].map(([id, path]) => `${JSON.stringify(id)}: () => import(${JSON.stringify(path)})`);
  return (
    `import plugin, { runnerOf } from ${JSON.stringify(`${INDEXER}native-modules.mjs`)};\n` +
    `export * from ${JSON.stringify(`${INDEXER}native-modules.mjs`)};\n` +
    `export const ViteNodeRunner = runnerOf({ ${modules.join(", ")} });\n` +
    "export default plugin;"
  );
}
