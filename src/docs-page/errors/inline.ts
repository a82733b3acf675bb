/** A piece of a text: words; code; code that names the page of an error, or `docs/<page>.md`, with or without a heading. */
export interface Piece {
  kind: "words" | "code" | "page" | "document";
  text: string;
}

const CODE = /`([^`]+)`/;
const DOCUMENT = /^docs\/[\w-]+\.md(#[\w-]+)?$/;

/**
 * Splits a text at its code in backticks.
 * @param pages names that have a page
 */
export function piecesOf(text: string, pages: ReadonlySet<string>): Piece[] {
  const parts = text.split(CODE);
  return parts
    .map((part, index): Piece => ({ kind: index % 2 === 0 ? "words" : codeKind(part, pages), text: part }))
    .filter((piece) => piece.text !== "");
}

function codeKind(code: string, pages: ReadonlySet<string>): Piece["kind"] {
  if (pages.has(code)) return "page";
  return DOCUMENT.test(code) ? "document" : "code";
}
