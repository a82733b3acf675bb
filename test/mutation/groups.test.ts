import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
// @ts-expect-error: a plain script, which Stryker loads without any build.
import { GROUPS } from "./groups.mjs";
import { describeStaleness, findGone, findStale, readReport, SOURCES } from "./report.ts";
import { MUTANTS } from "./sql/mutants.ts";
import { judgeReport } from "./stryker.ts";
import { SURVIVORS } from "./survivors.ts";

interface Group {
  name: string;
  mutate: string[];
  tests: string[];
}

const groups: Group[] = GROUPS;
const exists = (path: string) => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));

it("every group mutates files that exist, and runs tests that exist", () => {
  const missing = groups.flatMap(({ name, mutate, tests }) =>
    [...mutate, ...tests].filter((path) => !exists(path)).map((path) => `${name}: ${path}`),
  );
  expect(groups.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

it("a source is in one group, which alone has its result", () => {
  expect(SOURCES.filter((file, index) => SOURCES.indexOf(file) !== index)).toEqual([]);
});

it("survivors and the report name only what is mutated", () => {
  expect(SURVIVORS.map(({ file }) => file).filter((file) => !SOURCES.includes(file))).toEqual([]);
  // Remove the lines of what is gone from docs/results/mutation.json.
  expect(findGone(readReport())).toEqual([]);
});

it("each survivor of the report has a reason, each reason a survivor, and nine of ten mutants are killed", () => {
  expect(judgeReport(readReport())).toEqual([]);
});

it("a report is refused for a survivor without a reason, a reason without a survivor, and too few killed", () => {
  const [explained] = SURVIVORS;
  const { file = "", code = "" } = explained ?? {};
  const result = { killed: 1, timeout: 0, survived: [`${code}() → none`], uncovered: ["a → b"], hash: null };
  expect(judgeReport({ sources: { [file]: result }, mutants: {} })).toEqual(
    expect.arrayContaining([
      `survived without a reason: ${file} ${code}() → none`,
      `survived without a reason: ${file} a → b`,
      `survivors.ts explains what does not survive: ${file} ${code}`,
      "33.3% of the mutants are killed, 90% are demanded",
    ]),
  );
});

it("staleness tells results of a source as it is from others, and names the sources", () => {
  const [first, second, third] = SOURCES;
  const counts = { killed: 1, timeout: 0, survived: [], uncovered: [] };
  const sources = Object.fromEntries(
    [first, second, third].map((file, index) => [
      file,
      { ...counts, hash: ["same", "other", null][index] ?? null },
    ]),
  );
  const report = { sources, mutants: {} };
  const lines = describeStaleness(report, () => "same");
  const all = SOURCES.length + MUTANTS.length;
  expect(lines[0]).toBe(
    `${all} results of mutants: current 1, changed since 1, of an unknown version 1, not run ${all - 3}`,
  );
  expect(lines[1]).toBe(`changed since: ${second}`);
  expect(lines[2]).toMatch(/^not run: /);
  const stale = findStale(report, () => "same");
  expect(stale).toEqual([...SOURCES.slice(1), ...MUTANTS.map(({ id }) => id)]);
});
