import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
// @ts-expect-error: a plain script, which Stryker loads without any build.
import { GROUPS } from "./groups.mjs";
import { describeStaleness, findGone, findStale, readReport, SOURCES } from "./report.ts";
import { MUTANTS } from "./sql/mutants.ts";
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

it("staleness tells results of a source as it is from others, and names the sources", () => {
  const [first, second, third] = SOURCES;
  const counts = { killed: 1, timeout: 0, survived: 0, uncovered: 0 };
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
