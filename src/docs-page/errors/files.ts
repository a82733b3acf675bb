import { composeIndex, composePages, PAGE_NAMES, type Refusing } from "./compose.ts";
import { toMarkdown } from "./markdown.ts";

/** Returns the files of docs/errors by name, as `npm run openapi` writes them. */
export function errorFiles(endpoints: readonly Refusing[]): ReadonlyMap<string, string> {
  const documents = [composeIndex(), ...composePages(endpoints)];
  return new Map(documents.map((page) => [`${page.name}.md`, toMarkdown(page, PAGE_NAMES)]));
}
