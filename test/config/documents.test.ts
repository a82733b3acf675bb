import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { ENV_NAMES } from "../../src/config/env.ts";
import { specRows } from "../support/assert/spec.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it("documents every variable of every program, and no other", () => {
  const page = read("docs/configuration.md");
  const documented = page
    .slice(page.indexOf("## Variables"), page.indexOf("## Deployments file"))
    .split("\n")
    .flatMap((line) => /^- ((?:`[A-Z_]+`(?:, )?)+)/.exec(line)?.[1]?.match(/[A-Z][A-Z_]+/g) ?? []);
  expect([...new Set(documented)].sort()).toEqual([...new Set(Object.values(ENV_NAMES).flat())].sort());
});

it("names every endpoint of the specification in the table that the README leads to", () => {
  expect(read("README.md")).toContain("(docs/endpoints.md)");
  const table = read("docs/endpoints.md");
  const paths = specRows.flatMap(({ section, cells }) =>
    section.startsWith("4.") && cells?.Path ? [cells.Path] : [],
  );
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !table.includes(`\`${path}\``))).toEqual([]);
});

it("is short enough to be read: the README has at most 150 lines", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(150);
});
