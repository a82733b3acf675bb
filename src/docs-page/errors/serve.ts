import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Response, Router } from "express";
import helmet from "helmet";
import { ROOT } from "../../config/root.ts";
import { ApiError } from "../../protocol/errors.ts";
import { composeIndex, composePages, PAGE_NAMES, type Refusing } from "./compose.ts";
import { type Links, toHtml } from "./html.ts";

const INDEX_PATH = "/docs/errors";
const STYLE_PATH = "/docs/errors.css";

/** Every path of the pages, for the access log and the metrics. */
export const ERROR_PAGE_PATHS = [
  INDEX_PATH,
  STYLE_PATH,
  ...[...PAGE_NAMES].map((name) => `${INDEX_PATH}/${name}`),
];

/** Relative, so that they hold below a deployment's prefix. The index is no directory: its links name the last segment. */
const INDEX_LINKS: Links = {
  index: "errors",
  style: "errors.css",
  page: (name) => `errors/${name}`,
  pages: PAGE_NAMES,
};
const PAGE_LINKS: Links = {
  index: "../errors",
  style: "../errors.css",
  page: (name) => name,
  pages: PAGE_NAMES,
};

/** A page holds text and its style: nothing runs, is fetched or is sent. */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: "deny" },
  referrerPolicy: { policy: "no-referrer" },
});

/**
 * GET /docs/errors, and a page below it for each errCode, to anybody. Written once, at start: they change with the program alone.
 * @param docsUrl what the examples' docUrl shows
 */
export function createErrorPages(endpoints: readonly Refusing[], docsUrl?: string): Router {
  // Strict: behind a slash the relative links would lead elsewhere.
  const router = Router({ caseSensitive: true, strict: true });
  const add = (path: string, type: string, content: string) =>
    serve(router, path, type, Buffer.from(content));
  add(INDEX_PATH, "text/html; charset=utf-8", toHtml(composeIndex(), INDEX_LINKS));
  add(STYLE_PATH, "text/css; charset=utf-8", readFileSync(`${ROOT}src/docs-page/errors/page.css`, "utf8"));
  for (const page of composePages(endpoints, docsUrl))
    add(`${INDEX_PATH}/${page.name}`, "text/html; charset=utf-8", toHtml(page, PAGE_LINKS));
  return router;
}

function serve(router: Router, path: string, type: string, content: Buffer): void {
  const etag = `"${createHash("sha256").update(content).digest("base64url")}"`;
  // Express would answer HEAD and OPTIONS by itself; only what browsers need is served.
  router.all(path, (request, _response, next) => {
    if (request.method !== "GET") throw new ApiError("ROUTE_NOT_FOUND");
    next();
  });
  router.get(path, secure, (_request, response: Response) => {
    response.set({ "content-type": type, "cache-control": "public, max-age=300", etag }).send(content);
  });
}
