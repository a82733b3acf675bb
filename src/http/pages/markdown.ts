import { Marked, type Tokens } from "marked";

/** Targets of links, relative to the page: a deployment may be reached below a prefix. */
export interface Links {
  index: string;
  /** Reference of the API. */
  reference: string;
  style: string;
  /** Returns the target of a link in the page; null where that is not served, which leaves its text. */
  resolve(target: string): string | null;
}

/** Renders a page of docs/ as served: a whole document, without a script. HTML in it is text, save comments, which go. */
export function renderPage(markdown: string, { index, reference, style, resolve }: Links): string {
  const marked = new Marked({
    renderer: {
      html: ({ text }) => (text.startsWith("<!--") ? "" : escapeHtml(text)),
      link({ href, tokens }: Tokens.Link) {
        const target = resolve(href);
        const words = this.parser.parseInline(tokens);
        return target === null ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
      },
    },
  });
  const title = /^# (.*)/.exec(markdown)?.[1] ?? "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Partner trading API</title>
<link rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body>
<nav><a href="${escapeHtml(reference)}">API reference</a> · <a href="${escapeHtml(index)}">All errors</a></nav>
<main>
${marked.parse(markdown, { async: false })}</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
