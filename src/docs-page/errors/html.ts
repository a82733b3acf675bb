import type { Block, PageDocument } from "./document.ts";
import { piecesOf } from "./inline.ts";

/** Targets of a page's links, relative to it: a deployment may be reached below a prefix. */
export interface Links {
  index: string;
  /** Reference of the API. */
  reference: string;
  style: string;
  page(name: string): string;
  /** Names that have a page. */
  pages: ReadonlySet<string>;
}

/** Returns a page as served: a whole document, without a script. */
export function toHtml({ title, sections }: PageDocument, links: Links): string {
  const parts = sections.flatMap(({ heading, blocks }) => [
    ...(heading === null ? [] : [`<h2>${escapeHtml(heading)}</h2>`]),
    ...blocks.map((block) => blockHtml(block, links)),
  ]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Partner trading API</title>
<link rel="stylesheet" href="${escapeHtml(links.style)}">
</head>
<body>
<nav><a href="${escapeHtml(links.reference)}">API reference</a> · <a href="${escapeHtml(links.index)}">All errors</a></nav>
<main>
<h1>${escapeHtml(title)}</h1>
${parts.join("\n")}
</main>
</body>
</html>
`;
}

function blockHtml(block: Block, links: Links): string {
  const inline = (words: string) => inlineHtml(words, links);
  switch (block.kind) {
    case "text":
      return `<p>${inline(block.text)}</p>`;
    case "list":
      return `<ul>\n${items(block.items, inline)}\n</ul>`;
    case "steps":
      return `<ol>\n${items(block.items, inline)}\n</ol>`;
    case "table":
      return table(block, inline);
    case "code":
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`;
  }
}

type Inline = (words: string) => string;

const items = (list: readonly string[], inline: Inline): string =>
  list.map((item) => `<li>${inline(item)}</li>`).join("\n");

function table({ head, rows }: Extract<Block, { kind: "table" }>, inline: Inline): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((cells) => row(cells, "td")).join("\n");
  return `<table>\n<thead>${row(head, "th")}</thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
}

function inlineHtml(words: string, { page, pages }: Links): string {
  return piecesOf(words, pages)
    .map(({ kind, text }) => {
      if (kind === "words") return escapeHtml(text);
      const code = `<code>${escapeHtml(text)}</code>`;
      return kind === "page" ? `<a href="${escapeHtml(page(text))}">${code}</a>` : code;
    })
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
