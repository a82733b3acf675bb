import { REFERENCE_PATH } from "./addresses.ts";
import type { Rendered } from "./markdown.ts";
import type { ApiDocument } from "./reference/document.ts";
import { endpointsByTag } from "./reference/page.ts";

export const SEARCH_PATH = "/docs/search.json";

/** A place that the search box leads to (packages/pages/src/docs/search.ts reads them). */
export interface SearchEntry {
  /** Address relative to the site's root, with an anchor. */
  url: string;
  page: string;
  heading: string;
  text: string;
}

/** Returns an entry for each heading of a page. */
export const pageEntries = (path: string, { title, sections }: Rendered): SearchEntry[] =>
  sections.map(({ heading, text }) => ({
    url: heading.depth === 1 ? path.slice(1) : `${path.slice(1)}#${heading.id}`,
    page: title,
    heading: heading.text,
    text,
  }));

/** Returns an entry for each operation of the reference. */
export const operationEntries = (document: ApiDocument): SearchEntry[] =>
  [...endpointsByTag(document).values()].flat().map(({ method, path, operation }) => ({
    url: `${REFERENCE_PATH.slice(1)}#${operation.operationId}`,
    page: "Reference",
    heading: `${method} ${path}`,
    text: `${operation.summary}. ${operation.description ?? ""}`,
  }));
