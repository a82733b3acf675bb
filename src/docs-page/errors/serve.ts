import { readFileSync } from "node:fs";
import type { Router } from "express";
import { ROOT } from "../../config/root.ts";
import { securePage } from "../../http/page-security.ts";
import { type StaticFile, serveFiles } from "../../http/static-files.ts";
import { composeIndex, composePages, PAGE_NAMES } from "./compose.ts";
import { type Links, toHtml } from "./html.ts";

const INDEX_PATH = "/docs/errors";
const STYLE_PATH = "/docs/errors.css";

/** Every path of the pages, for the access log and the metrics. */
export const ERROR_PAGE_PATHS = [
  INDEX_PATH,
  STYLE_PATH,
  ...[...PAGE_NAMES].map((name) => `${INDEX_PATH}/${name}`),
];

/** Relative, so that they hold below a deployment's prefix. The index is not a directory: its links name the last segment. */
const INDEX_LINKS: Links = {
  index: "errors",
  reference: "../docs",
  style: "errors.css",
  page: (name) => `errors/${name}`,
  pages: PAGE_NAMES,
};
const PAGE_LINKS: Links = {
  index: "../errors",
  reference: "../../docs",
  style: "../errors.css",
  page: (name) => name,
  pages: PAGE_NAMES,
};

/**
 * GET /docs/errors, and a page below it for each errCode, to anybody. Written once, at start: they change with the program alone.
 * @param docsUrl value of docUrl in the examples
 */
export function createErrorPages(docsUrl?: string): Router {
  const file = (path: string, type: string, content: string): StaticFile => {
    return { path, type, cacheControl: "public, max-age=300", content: Buffer.from(content) };
  };
  const html = "text/html; charset=utf-8";
  const style = readFileSync(`${ROOT}src/docs-page/errors/page.css`, "utf8");
  const pages = composePages(docsUrl).map((page) =>
    file(`${INDEX_PATH}/${page.name}`, html, toHtml(page, PAGE_LINKS)),
  );
  const index = file(INDEX_PATH, html, toHtml(composeIndex(), INDEX_LINKS));
  return serveFiles([index, file(STYLE_PATH, "text/css; charset=utf-8", style), ...pages], securePage());
}
