// The two bundles of the indexer's process (build.mjs). Ponder loads a project file by file through Vite, and transforms
// what `ponder` exports each time it starts; its own program consists of 2,600 files. Bundled, a start takes three fifths of
// the processor time.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PONDER_PACKAGES = ["ponder", "@ponder/utils"];
const INDEXER = fileURLToPath(new URL(".", import.meta.url));
/** A file per contract, named after it, registers the handlers; what they share has a name in lower case. */
const HANDLERS = readdirSync(`${INDEXER}src`).filter((file) => /^[A-Z]\w*\.ts$/.test(file));

/**
 * Bundles the Ponder project (configuration, tables, handlers, routes) under the file names that Ponder expects.
 * Of packages only Ponder's own are bundled, the used part of them. All others are loaded from node_modules: Ponder's
 * program has copies of its own of those that it bundles, so no error of the project is an instance of its classes.
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

/** Vite and PGlite find files of their own beside themselves; the last two are not loaded at all. */
const NOT_BUNDLED = [
  ...["vite", "vite-node", "vite-tsconfig-paths", "@electric-sql/pglite"],
  ...["pg-native", "pg-query-emscripten"],
];

/** Ponder's program. It reads its version from the package.json above it, so it is told where it comes from. */
export const PONDER_PROGRAM = {
  entryPoints: ["node_modules/ponder/dist/esm/bin/ponder.js"],
  entryNames: "[name]",
  outdir: "ponder",
  external: NOT_BUNDLED.flatMap((name) => [name, `${name}/*`]),
  define: { "import.meta.url": "ponderProgramUrl" },
  banner: {
    js:
      'import { createRequire as createBundleRequire } from "node:module";\n' +
      'const ponderProgramUrl = new URL("bin/ponder.js", import.meta.resolve("ponder")).href;\n' +
      "const require = createBundleRequire(ponderProgramUrl);",
  },
};
