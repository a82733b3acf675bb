// The bundles of the two pages (build.mjs): their scripts, styles and markup in dist/pages/, plain and compressed by brotli and
// gzip: the api compresses nothing, and needs no package for a page.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const DOCS = "packages/pages/src/docs/";
const DASHBOARD = "packages/pages/src/dashboard/";
const SCALAR = "node_modules/@scalar/api-reference/dist/browser/standalone.js";

/** Options of esbuild for what a browser runs. */
const PAGE = {
  platform: "browser",
  target: "es2022",
  format: "iife",
  splitting: false,
  keepNames: false,
  minify: true,
  loader: { ".html": "copy" },
};
const COMPRESS = { name: "compress", setup: compressOutputs };

/** The reference at /docs, with Scalar's standalone script, and the dashboard. */
export const PAGES = [
  {
    ...PAGE,
    entryPoints: [
      { in: `${DOCS}page.html`, out: "page" },
      { in: `${DOCS}page.css`, out: "page" },
      { in: `${DOCS}before.ts`, out: "before" },
      { in: `${DOCS}page.ts`, out: "page" },
      { in: SCALAR, out: "scalar" },
    ],
    outdir: "pages/docs",
    plugins: [{ name: "scalar", setup: adaptScalar }, COMPRESS],
  },
  {
    ...PAGE,
    entryPoints: [
      { in: `${DASHBOARD}page.html`, out: "page" },
      { in: `${DASHBOARD}style/page.css`, out: "page" },
      { in: `${DASHBOARD}main.tsx`, out: "page" },
    ],
    outdir: "pages/dashboard",
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [COMPRESS],
  },
];

/** Adds to each output its compressed forms. */
function compressOutputs(build) {
  // Nine takes 0.3 s for Scalar; eleven takes 8 s, for a tenth less.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  build.onEnd(({ outputFiles }) => {
    const plain = [...outputFiles];
    for (const { path, contents } of plain) {
      outputFiles.push({ path: `${path}.br`, contents: brotliCompressSync(contents, { params }) });
      outputFiles.push({ path: `${path}.gz`, contents: gzipSync(contents) });
    }
  });
}

/** Changes Scalar's actions that the page's content security policy would block. src/docs/before.ts does the rest. */
function adaptScalar(build) {
  build.onLoad(
    { filter: /[\\/]@scalar[\\/]api-reference[\\/]dist[\\/]browser[\\/]standalone\.js$/ },
    ({ path }) => ({
      loader: "copy",
      contents: [
        // Zod tests whether it may generate code. It may not, and the browser would report the attempt.
        ['try{return new Function(""),!0}catch', "try{return!1}catch"],
        // A style attribute in markup, which the policy blocks: the width of line numbers. page.css sets it.
        ["e.properties.style=[`--line-count:", "e.properties.lines=[`--line-count:"],
        // Scalar's own check of schemas is narrower than JSON Schema 2020-12, and warns about most of them.
        [
          'console.warn("document validation errors: "),console.warn(',
          'console.debug("document validation errors: "),console.debug(',
        ],
      ].reduce(replaceOnce, readFileSync(path, "utf8")),
    }),
  );
}

/** @throws Error where an update of the package has changed the text */
function replaceOnce(source, [text, replacement]) {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`Scalar does not have "${text}" once`);
  return parts.join(replacement);
}
