import { readFileSync } from "node:fs";
import { ROOT } from "../../../src/config/root.ts";

export interface Block {
  language: string;
  text: string;
}

/** Returns the code blocks of a page that stand at the beginning of their lines, in the page's order. */
export function readBlocks(path: string): Block[] {
  const page = readFileSync(ROOT + path, "utf8");
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** Returns the text of a page's blocks of one language. */
export const blocksOf = (path: string, language: string): string[] =>
  readBlocks(path)
    .filter((block) => block.language === language)
    .map(({ text }) => text);

/** Returns the shell commands of a page, block by block, also of those within lists. */
export function shellBlocksOf(path: string): string[] {
  const page = readFileSync(ROOT + path, "utf8");
  return [...page.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, indent = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indent}`, "gm"), "").trim(),
  );
}
