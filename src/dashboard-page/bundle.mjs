// The bundle of the dashboard's page (build.mjs): its script, style and markup in dist/dashboard-page/, plain and compressed.
import { compressOutputs } from "../docs-page/compress-outputs.mjs";

const BROWSER = "src/dashboard-page/browser/";

/** Options of esbuild. */
export const DASHBOARD_PAGE = {
  entryPoints: [
    { in: `${BROWSER}page.html`, out: "page" },
    { in: `${BROWSER}style/page.css`, out: "page" },
    { in: `${BROWSER}main.tsx`, out: "page" },
  ],
  outdir: "dashboard-page",
  platform: "browser",
  target: "es2022",
  format: "iife",
  splitting: false,
  keepNames: false,
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".html": "copy" },
  plugins: [{ name: "compress", setup: compressOutputs }],
};
