import { existsSync, readFileSync } from "node:fs";
import type { Router } from "express";
import { ROOT } from "../config/root.ts";
import { OWN_SCRIPTS, securePage } from "../http/page-security.ts";
import { type StaticFile, serveFiles } from "../http/static-files.ts";

/** Folder to which the build writes the page (bundle.mjs). */
const BUILT = `${ROOT}dist/dashboard-page/`;

/** Served files, by path: the page itself, and the files that it loads relative to it. */
const FILES: readonly (readonly [path: string, file: string, type: string])[] = [
  ["/dashboard", "page.html", "text/html; charset=utf-8"],
  ["/dashboard/page.css", "page.css", "text/css; charset=utf-8"],
  ["/dashboard/page.js", "page.js", "text/javascript; charset=utf-8"],
];

/** Every path of the page, for the access log and the metrics. */
export const DASHBOARD_PATHS = FILES.map(([path]) => path);

const secure = securePage({
  ...OWN_SCRIPTS,
  // No text can become markup or code, not even by a mistake in the page's own scripts or their packages.
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
});

/**
 * GET /dashboard: the web page for operations staff, to anybody. It holds no data and no secret: its reader types a dashboard
 * token, with which the page queries /graphql and /events/stream. Files are read once; browsers revalidate them each time, so
 * that a new version shows at once.
 * @throws Error where the page has not been built
 */
export function createDashboardPage(): Router {
  if (!existsSync(BUILT)) throw new Error(`${BUILT} is missing: run \`npm run build\``);
  return serveFiles(FILES.map(read), secure);
}

function read([path, file, type]: (typeof FILES)[number]): StaticFile {
  const content = readFileSync(`${BUILT}${file}`);
  const encoded = { br: readFileSync(`${BUILT}${file}.br`), gzip: readFileSync(`${BUILT}${file}.gz`) };
  return { path, type, cacheControl: "no-cache", content, encoded };
}
