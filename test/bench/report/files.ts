import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../../../src/config/root.ts";
import { toSvg } from "./chart.ts";
import type { Result } from "./result.ts";
import { toMarkdown } from "./text.ts";

const DOCUMENT = join(ROOT, "docs/PERFORMANCE.md");
const CHART = join(ROOT, "docs/performance.svg");
const MARKS = ["<!-- figures: begin -->", "<!-- figures: end -->"] as const;

/**
 * Writes a result as JSON and its chart as SVG.
 * @returns where they are
 */
export function writeResult(result: Result, directory: string): string[] {
  mkdirSync(directory, { recursive: true });
  const base = join(directory, result.takenAt.slice(0, 16).replace("T", "-").replace(":", ""));
  const files = [`${base}.json`];
  writeFileSync(`${base}.json`, `${JSON.stringify(result, null, 2)}\n`);
  if (hasChart(result)) {
    writeFileSync(`${base}.svg`, toSvg(result));
    files.push(`${base}.svg`);
  }
  return files;
}

const hasChart = ({ sections }: Result) => sections.some(({ scenario }) => scenario === "detail");

/** Puts a result's figures into docs/PERFORMANCE.md, in place of those that it has. */
export function writeDocument(result: Result): void {
  const text = readFileSync(DOCUMENT, "utf8");
  const [begin, end] = MARKS.map((mark) => text.indexOf(mark));
  if (begin === undefined || end === undefined || begin < 0 || end < begin) {
    throw new Error(`${DOCUMENT} has no place for figures`);
  }
  const chart = hasChart(result) ? `![Requests a second of each contestant](${basename(CHART)})\n\n` : "";
  const before = text.slice(0, begin + MARKS[0].length);
  writeFileSync(DOCUMENT, `${before}\n\n${chart}${toMarkdown(result)}\n\n${text.slice(end)}`);
  if (chart) writeFileSync(CHART, toSvg(result));
}
