import { readFileSync } from "node:fs";
import type { Router } from "express";
import { ROOT } from "../../config/root.ts";
import { ERROR_CATALOGUE } from "../../protocol/errors.ts";
import { securePage } from "../page-security.ts";
import { type StaticFile, serveFiles } from "../static-files.ts";
import { type Links, renderPage } from "./markdown.ts";

const INDEX_PATH = "/docs/errors";
const STYLE_PATH = "/docs/errors.css";
/** Stands for a deployment's DOCS_URL in the pages. */
const EXAMPLE_DOCS_URL = "https://api.example.com/docs";

/** Names of all pages but the index. */
const PAGE_NAMES = [...Object.keys(ERROR_CATALOGUE), "UNAUTHORIZED"];

/** Every path of the pages, for the access log and the metrics. */
export const ERROR_PAGE_PATHS = [
  INDEX_PATH,
  STYLE_PATH,
  ...PAGE_NAMES.map((name) => `${INDEX_PATH}/${name}`),
];

/** Returns the links of a page: those to other errors, with what comes before the name of one. */
const linksOf = (up: string, before: string): Links => ({
  index: `${up}errors`,
  reference: `${up}../docs`,
  style: `${up}errors.css`,
  resolve: (target) => {
    const name = target.replace(/\.md$/, "");
    return PAGE_NAMES.includes(name) ? `${before}${name}` : null;
  },
});
/** The index is not a directory: its links name the last segment. */
const INDEX_LINKS = linksOf("", "errors/");
const PAGE_LINKS = linksOf("../", "");

/**
 * GET /docs/errors, and a page below it for each errCode, to anybody. Rendered once, at start.
 * @param docsUrl value of docUrl in the examples
 */
export function createErrorPages(docsUrl = EXAMPLE_DOCS_URL): Router {
  const file = (path: string, type: string, content: string): StaticFile => {
    return {
      path,
      type: `${type}; charset=utf-8`,
      cacheControl: "public, max-age=300",
      content: Buffer.from(content),
    };
  };
  const page = (path: string, name: string, links: Links) => {
    const markdown = readFileSync(`${ROOT}docs/errors/${name}.md`, "utf8");
    return file(
      path,
      "text/html",
      renderPage(
        markdown.replaceAll(EXAMPLE_DOCS_URL, () => docsUrl),
        links,
      ),
    );
  };
  const style = readFileSync(`${ROOT}src/http/pages/errors.css`, "utf8");
  const pages = PAGE_NAMES.map((name) => page(`${INDEX_PATH}/${name}`, name, PAGE_LINKS));
  const index = page(INDEX_PATH, "README", INDEX_LINKS);
  return serveFiles([index, file(STYLE_PATH, "text/css", style), ...pages], securePage());
}
