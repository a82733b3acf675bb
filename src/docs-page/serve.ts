import { existsSync, readFileSync } from "node:fs";
import type { Router } from "express";
import { ROOT } from "../config/root.ts";
import { OWN_SCRIPTS, securePage } from "../http/page-security.ts";
import { type StaticFile, serveFiles } from "../http/static-files.ts";

/** Folder to which the build writes the page (bundle.mjs). */
const BUILT = `${ROOT}dist/docs-page/`;

/** Served files, by path: the page itself, and the files that it loads relative to it. */
const FILES: readonly (readonly [path: string, file: string, type: string])[] = [
  ["/docs", "page.html", "text/html; charset=utf-8"],
  ["/docs/page.css", "page.css", "text/css; charset=utf-8"],
  ...["before", "scalar", "page"].map(
    (name) => [`/docs/${name}.js`, `${name}.js`, "text/javascript; charset=utf-8"] as const,
  ),
];

/** Every path of the page, for the access log and the metrics. */
export const DOCS_PATHS = FILES.map(([path]) => path);

/**
 * GET /docs: the reference of the partner API, to anybody. It holds no secret: a reader who tries a request types a key, with
 * which their browser signs. Files are read once; browsers revalidate them each time.
 * @throws Error where the page has not been built
 */
export function createDocsPage(): Router {
  if (!existsSync(BUILT)) throw new Error(`${BUILT} is missing: run \`npm run build\``);
  // Scalar's icons are data URLs in its style.
  return serveFiles(FILES.map(read), securePage({ ...OWN_SCRIPTS, imgSrc: ["'self'", "data:"] }));
}

function read([path, file, type]: (typeof FILES)[number]): StaticFile {
  const content = readFileSync(`${BUILT}${file}`);
  const encoded = { br: readFileSync(`${BUILT}${file}.br`), gzip: readFileSync(`${BUILT}${file}.gz`) };
  return { path, type, cacheControl: "no-cache", content, encoded };
}
