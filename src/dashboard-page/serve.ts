import { readFileSync } from "node:fs";
import type { Router } from "express";
import { ROOT } from "../config/root.ts";
import { OWN_SCRIPTS, securePage } from "../http/page-security.ts";
import { serveFiles } from "../http/static-files.ts";

const BROWSER = `${ROOT}src/dashboard-page/browser/`;

/** What the browser gets, by its path: the page itself, and what the page asks for relative to it. */
const FILES: readonly (readonly [path: string, file: string, type: string])[] = [
  ["/dashboard", "page.html", "text/html; charset=utf-8"],
  ["/dashboard/page.css", "page.css", "text/css; charset=utf-8"],
  ...["page", "panel", "panels", "cells", "dom", "queries", "service"].map(
    (name) => [`/dashboard/${name}.js`, `${name}.js`, "text/javascript; charset=utf-8"] as const,
  ),
];

/** Every path of the page, for the access log and the metrics. */
export const DASHBOARD_PATHS = FILES.map(([path]) => path);

const secure = securePage({
  ...OWN_SCRIPTS,
  // No text can become markup or code, not even by a mistake in the page's own scripts.
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
});

/**
 * GET /dashboard: the web page for operations staff, to anybody. It holds no data and no secret: whoever opens it types a
 * dashboard token, with which the page asks /graphql. Files are read once; browsers ask each time whether theirs is still
 * the one, so that a new version shows at once.
 */
export function createDashboardPage(): Router {
  const files = FILES.map(([path, file, type]) => ({
    ...{ path, type, cacheControl: "no-cache" },
    content: readFileSync(`${BROWSER}${file}`),
  }));
  return serveFiles(files, secure);
}
