import { composeIndex, composePages, INDEX_NAME, PAGE_NAMES } from "./compose.ts";
import type { PageDocument } from "./document.ts";
import { toMarkdown } from "./markdown.ts";

const WRITTEN =
  "<!-- The files of this folder are written by `npm run openapi` from src/docs-page/errors. -->\n";

/** Returns the files of docs/errors by name, as `npm run openapi` writes them. */
export function errorFiles(): ReadonlyMap<string, string> {
  const written = (page: PageDocument) => toMarkdown(page, PAGE_NAMES);
  return new Map([
    [`${INDEX_NAME}.md`, `${written(composeIndex())}\n${WRITTEN}`],
    ...composePages().map((page): [string, string] => [`${page.name}.md`, written(page)]),
  ]);
}
