// The bundles of pages (build.mjs): scripts, styles and markup in dist/pages/, plain and compressed by brotli and gzip: the api
// compresses nothing, and needs no package for a page.
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const DOCS = "packages/pages/src/docs/";
const DASHBOARD = "packages/pages/src/dashboard/";

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

/** Scripts of the pages for partners, which the service renders, and the dashboard. */
export const PAGES = [
  {
    ...PAGE,
    entryPoints: [
      { in: `${DOCS}search.ts`, out: "search" },
      { in: `${DOCS}reference.ts`, out: "reference" },
    ],
    outdir: "pages/docs",
    plugins: [COMPRESS],
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
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  build.onEnd(({ outputFiles }) => {
    const plain = [...outputFiles];
    for (const { path, contents } of plain) {
      outputFiles.push({ path: `${path}.br`, contents: brotliCompressSync(contents, { params }) });
      outputFiles.push({ path: `${path}.gz`, contents: gzipSync(contents) });
    }
  });
}
