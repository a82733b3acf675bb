import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";

const DIRECTORY = new URL("../../src/dashboard-page/browser/", import.meta.url);

/** The names of the page's files. */
export const names = readdirSync(DIRECTORY).filter((name) => name !== "tsconfig.json");

export const read = (name: string): string => readFileSync(new URL(name, DIRECTORY), "utf8");

/** The page's queries as browsers get them, by panel. */
export async function readQueries(): Promise<Record<string, string>> {
  const loaded: unknown = await import(new URL("queries.js", DIRECTORY).href);
  return z.object({ QUERIES: z.record(z.string(), z.string()) }).parse(loaded).QUERIES;
}

/** What every panel of page.html lets its reader fill in: names, and the words to choose from. */
export function readFilters(): { panel: string; name: string; words: string[] }[] {
  return [...read("page.html").matchAll(/<details id="(\w+)"[\s\S]*?<\/details>/g)].flatMap(
    ([html, panel = ""]) =>
      [...html.matchAll(/<(select|input) name="(\w+)"/g)].map((match) => {
        const isChoice = match[1] === "select";
        const list = isChoice ? html.slice(match.index, html.indexOf("</select>", match.index)) : "";
        const words = [...list.matchAll(/<option>([^<]+)</g)].map(([, word = ""]) => word);
        return { panel, name: match[2] ?? "", words };
      }),
  );
}
