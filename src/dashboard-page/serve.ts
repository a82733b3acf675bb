import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Response, Router } from "express";
import helmet from "helmet";
import { ROOT } from "../config/root.ts";
import { ApiError } from "../protocol/errors.ts";

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

/** Nothing but the page's own files runs, styles or is asked; no form goes anywhere, so no token ends up in a URL. */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      // No text can become markup or code, not even by a mistake in the page's own scripts.
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    },
  },
  xFrameOptions: { action: "deny" },
  referrerPolicy: { policy: "no-referrer" },
});

/**
 * GET /dashboard: the web page for operations staff, to anybody. It holds no data and no secret: whoever opens it types a
 * dashboard token, with which the page asks /graphql. Files are read once; browsers ask each time whether theirs is still
 * the one, so that a new version shows at once.
 */
export function createDashboardPage(): Router {
  // Strict: below /dashboard/ the page's relative paths would lead elsewhere.
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, file, type] of FILES) {
    const content = readFileSync(`${BROWSER}${file}`);
    const etag = `"${createHash("sha256").update(content).digest("base64url")}"`;
    // Express would answer HEAD and OPTIONS by itself; only what browsers need is served.
    router.all(path, (request, _response, next) => {
      if (request.method !== "GET") throw new ApiError("ROUTE_NOT_FOUND");
      next();
    });
    router.get(path, secure, (_request, response: Response) => {
      response.set({ "content-type": type, "cache-control": "no-cache", etag }).send(content);
    });
  }
  return router;
}
