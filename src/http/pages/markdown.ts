import { Marked, type Token, type Tokens } from "marked";

/** Returns the address of a link's target, relative to the page; null where that is not served, which leaves the text. */
export type Resolve = (target: string) => string | null;

export interface Heading {
  /** 1 is the title of the page. */
  depth: number;
  text: string;
  /** Anchor, by GitHub's rules, so that links hold in the repository, too. */
  id: string;
}

/** Text below one heading, without markup. */
export interface Section {
  heading: Heading;
  text: string;
}

export interface Rendered {
  title: string;
  html: string;
  sections: readonly Section[];
}

/** Renders a document as the content of a page. HTML in it is text, save comments, which go. */
export function renderMarkdown(markdown: string, resolve: Resolve): Rendered {
  const nextId = createIds();
  const sections: Section[] = [];
  const marked = new Marked({
    renderer: {
      html: ({ text }) => (text.startsWith("<!--") ? "" : escapeHtml(text)),
      heading({ depth, tokens }: Tokens.Heading) {
        const text = plainText(tokens);
        const heading = { depth, text, id: nextId(text) };
        sections.push({ heading, text: "" });
        return `<h${depth} id="${heading.id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const target = resolve(href);
        const words = this.parser.parseInline(tokens);
        return target === null ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens);
  return { title: sections[0]?.heading.text ?? "", html, sections: withText(sections, tokens) };
}

const INLINE = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link({ tokens }: Tokens.Link) {
      return this.parser.parseInline(tokens);
    },
  },
});

/** Renders a line of Markdown without its links. HTML in it is text. */
export const renderInline = (text: string): string => INLINE.parseInline(text, { async: false });

/** Adds the text between the headings, which are at the top level of a document. */
function withText(sections: readonly Section[], tokens: readonly Token[]): Section[] {
  const starts = tokens.flatMap((token, index) => (token.type === "heading" ? [index] : []));
  return sections.map(({ heading }, index) => {
    const between = tokens.slice((starts[index] ?? 0) + 1, starts[index + 1]);
    return { heading, text: plainText(between).replaceAll(/\s+/g, " ").trim() };
  });
}

/** Returns the words of tokens, without markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "table") return cellsOf(token as Tokens.Table);
      if (token.type === "list") return `${plainText((token as Tokens.List).items)} `;
      if ("tokens" in token && token.tokens) return plainText(token.tokens) + spaceAfter(token);
      return "text" in token ? token.text + spaceAfter(token) : " ";
    })
    .join("");
}

const BLOCKS = new Set(["paragraph", "code", "list_item", "blockquote", "heading"]);
const spaceAfter = ({ type }: Token): string => (BLOCKS.has(type) ? " " : "");

const cellsOf = ({ header, rows }: Tokens.Table): string =>
  [header, ...rows]
    .flat()
    .map(({ tokens }) => `${plainText(tokens)} `)
    .join("");

/** Returns a function that gives each heading of a document its anchor. */
function createIds(): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    const base = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    let id = base;
    for (let count = 1; taken.has(id); count++) id = `${base}-${count}`;
    taken.add(id);
    return id;
  };
}

const LINK = /\[([^[\]]*)\]\(([^()\s]+)\)/g;

/** Returns a document as Markdown whose links lead where the rendered one's do. Code stays as it is. */
export const relinkMarkdown = (markdown: string, resolve: Resolve): string =>
  partsOf(markdown)
    .map(({ isCode, lines }) => (isCode ? lines.join("\n") : relink(lines.join("\n"), resolve)))
    .join("\n");

/** Divides a document where fenced code begins and ends. */
function partsOf(markdown: string): { isCode: boolean; lines: string[] }[] {
  const parts = [{ isCode: false, lines: [] as string[] }];
  for (const line of markdown.split("\n")) {
    const last = parts.at(-1);
    const isFence = line.trimStart().startsWith("```");
    if (last === undefined || (isFence && !last.isCode)) parts.push({ isCode: true, lines: [line] });
    else last.lines.push(line);
    if (isFence && last?.isCode) parts.push({ isCode: false, lines: [] });
  }
  return parts.filter(({ lines }) => lines.length > 0);
}

const relink = (text: string, resolve: Resolve): string =>
  text.replaceAll(LINK, (_link, label: string, href: string) => {
    const target = resolve(href);
    return target === null ? label : `[${label}](${target})`;
  });

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
