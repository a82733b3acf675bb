import { existsSync, readFileSync } from "node:fs";
import { type RequestHandler, Router } from "express";
import type { Logger } from "pino";
import { ROOT } from "../../config/root.ts";
import { OWN_SCRIPTS, securePage } from "../page-security.ts";
import { type StaticFile, serveFiles } from "../static-files.ts";
import { REFERENCE_PATH } from "./addresses.ts";

/** A page of packages/pages: the build writes its files to `dist/pages/<name>/` (packages/pages/bundle.mjs). */
interface BuiltPage {
  name: "docs" | "dashboard";
  path: string;
  /** Files that page.html loads, relative to it. */
  loads: readonly string[];
  secure: RequestHandler;
}

const REFERENCE: BuiltPage = {
  name: "docs",
  path: REFERENCE_PATH,
  loads: ["page.css", "before.js", "scalar.js", "page.js"],
  // Scalar's icons are data URLs in its style.
  secure: securePage({ ...OWN_SCRIPTS, imgSrc: ["'self'", "data:"] }),
};

const DASHBOARD: BuiltPage = {
  name: "dashboard",
  path: "/dashboard",
  loads: ["page.css", "page.js"],
  secure: securePage({
    ...OWN_SCRIPTS,
    // No text can become markup or code, not even by a mistake in the page's own scripts or their packages.
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  }),
};

const pathsOf = ({ name, path, loads }: BuiltPage) => [path, ...loads.map((file) => `/${name}/${file}`)];

/** Every path of the pages, for the access log and the metrics. */
export const REFERENCE_PATHS = pathsOf(REFERENCE);
export const DASHBOARD_PATHS = pathsOf(DASHBOARD);

/**
 * GET /docs/reference: the reference of the partner API, to anybody. It holds no secret: a reader who tries a request types a key, with
 * which their browser signs.
 * @throws Error where a file of the page is missing
 */
export const createReferencePage = (log: Logger): Router => serve(REFERENCE, log);

/**
 * GET /dashboard: the web page for operations staff, to anybody. It holds no data and no secret: its reader types a dashboard
 * token, with which the page queries /graphql and /events/stream.
 * @throws Error where a file of the page is missing
 */
export const createDashboardPage = (log: Logger): Router => serve(DASHBOARD, log);

/** Files are read once; browsers revalidate them each time, so that a new version shows at once. */
function serve({ name, path: page, loads, secure }: BuiltPage, log: Logger): Router {
  const built = `${ROOT}dist/pages/${name}/`;
  if (!existsSync(built)) {
    log.warn({ page }, "the page is not served: the package partner-trading-pages is not installed");
    return Router();
  }
  const read = (path: string, file: string): StaticFile => ({
    path,
    type: `${TYPES[file.slice(file.lastIndexOf("."))]}; charset=utf-8`,
    cacheControl: "no-cache",
    content: readFileSync(`${built}${file}`),
    encoded: { br: readFileSync(`${built}${file}.br`), gzip: readFileSync(`${built}${file}.gz`) },
  });
  return serveFiles(
    [read(page, "page.html"), ...loads.map((file) => read(`/${name}/${file}`, file))],
    secure,
  );
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
};
