import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../../../src/config/root.ts";
import { compactJson } from "../../support/compact-json.ts";
import { toSvg } from "./chart.ts";
import type { Result } from "./result.ts";
import { storedForm } from "./stored.ts";
import { toMarkdown } from "./text.ts";

const RESULTS = join(ROOT, "docs/results/bench.json");
const DOCUMENT = join(ROOT, "docs/PERFORMANCE.md");
const CHART = join(ROOT, "docs/performance.svg");
const MARKS = ["<!-- figures: begin -->", "<!-- figures: end -->"] as const;

/** Writes a result in place of the last ones of its scenarios. @returns the file */
export function storeResult(result: Result): string {
  const known = JSON.parse(readFileSync(RESULTS, "utf8"));
  writeFileSync(RESULTS, `${compactJson({ ...known, ...storedForm(result) })}\n`);
  return RESULTS;
}

/** Puts the figures of a result's scenario `detail` into docs/PERFORMANCE.md, in place of those that it has. */
export function writeDocument(result: Result): void {
  const text = readFileSync(DOCUMENT, "utf8");
  const [begin, end] = MARKS.map((mark) => text.indexOf(mark));
  if (begin === undefined || end === undefined || begin < 0 || end < begin) {
    throw new Error(`${DOCUMENT} has no place for figures`);
  }
  const chart = `![Requests a second of each contestant](${basename(CHART)})\n\n`;
  const before = text.slice(0, begin + MARKS[0].length);
  writeFileSync(DOCUMENT, `${before}\n\n${chart}${toMarkdown(result)}\n\n${text.slice(end)}`);
  writeFileSync(CHART, toSvg(result));
}
