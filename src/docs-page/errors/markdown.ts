import type { Block, PageDocument } from "./document.ts";
import { piecesOf } from "./inline.ts";

/**
 * Returns a page as it is committed in docs/errors.
 * @param pages names that have a page
 */
export function toMarkdown({ title, sections }: PageDocument, pages: ReadonlySet<string>): string {
  const parts = sections.flatMap(({ heading, blocks }) => [
    ...(heading === null ? [] : [`## ${heading}`]),
    ...blocks.map((block) => blockText(block, pages)),
  ]);
  return `${[`# ${title}`, ...parts].join("\n\n")}\n`;
}

function blockText(block: Block, pages: ReadonlySet<string>): string {
  const inline = (words: string) => inlineText(words, pages);
  switch (block.kind) {
    case "text":
      return inline(block.text);
    case "list":
      return block.items.map((item) => `- ${inline(item)}`).join("\n");
    case "steps":
      return block.items.map((item, index) => `${index + 1}. ${inline(item)}`).join("\n");
    case "table":
      return [block.head, block.head.map(() => "---"), ...block.rows]
        .map((cells) => `| ${cells.map(inline).join(" | ")} |`)
        .join("\n");
    case "code":
      return ["```http", block.text, "```"].join("\n");
  }
}

function inlineText(words: string, pages: ReadonlySet<string>): string {
  return piecesOf(words, pages)
    .map(({ kind, text }) => {
      if (kind === "words") return text;
      if (kind === "page") return `[${text}](${text}.md)`;
      if (kind === "document") return `[${text}](${text.replace("docs/", "../")})`;
      return `\`${text}\``;
    })
    .join("");
}
