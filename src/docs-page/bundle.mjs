// The bundle of the reference page (build.mjs): its own scripts and style, and Scalar's standalone script, in dist/docs-page/.
// Each file is stored plain, and compressed by brotli and gzip: the api compresses nothing, and needs no package for the page.
import { readFileSync } from "node:fs";
import { compressOutputs } from "./compress-outputs.mjs";

const BROWSER = "src/docs-page/browser/";
const SCALAR = "node_modules/@scalar/api-reference/dist/browser/standalone.js";

/** Options of esbuild. */
export const DOCS_PAGE = {
  entryPoints: [
    { in: `${BROWSER}page.html`, out: "page" },
    { in: `${BROWSER}page.css`, out: "page" },
    { in: `${BROWSER}before.ts`, out: "before" },
    { in: `${BROWSER}page.ts`, out: "page" },
    { in: SCALAR, out: "scalar" },
  ],
  outdir: "docs-page",
  platform: "browser",
  target: "es2022",
  format: "iife",
  splitting: false,
  keepNames: false,
  minify: true,
  loader: { ".html": "copy" },
  plugins: [
    { name: "scalar", setup: adaptScalar },
    { name: "compress", setup: compressOutputs },
  ],
};

/** Changes Scalar's actions that the page's content security policy would block. src/docs-page/browser/before.ts does the rest. */
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
