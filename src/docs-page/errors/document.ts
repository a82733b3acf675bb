/** A page as data, from which both the committed markdown and the served HTML are written. */
export interface PageDocument {
  /** Its name in URLs and files. */
  name: string;
  title: string;
  sections: readonly Section[];
}

export interface Section {
  /** Null above the first heading. */
  heading: string | null;
  blocks: readonly Block[];
}

/** Texts are plain, with code in backticks (see inline.ts). */
export type Block =
  | { kind: "text"; text: string }
  | { kind: "list"; items: readonly string[] }
  | { kind: "steps"; items: readonly string[] }
  | { kind: "table"; head: readonly string[]; rows: readonly (readonly string[])[] }
  /** `language` is for readers that color it. */
  | { kind: "code"; language: "http"; text: string };

export const text = (...texts: readonly string[]): Block[] =>
  texts.map((each) => ({ kind: "text", text: each }));
