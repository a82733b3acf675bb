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
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => line.split("|")[1]?.match(/[A-Z][A-Z_]+/g) ?? []);
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

it("shows the example that is run, to the letter", () => {
  expect(read("README.md")).toContain("node examples/first-order.mjs");
  expect(/```js\n(.*?)```/s.exec(read("docs/authentication.md"))?.[1]).toBe(read("examples/first-order.mjs"));
});

it("shows a call of the client that is run, to the letter", () => {
  const block = /```ts\n.*?```/s;
  const shown = block.exec(read("README.md"))?.[0];
  expect(shown).toContain("orders.send");
  expect(block.exec(read("docs/clients.md"))?.[0]).toBe(shown);
});

it("is short enough to be read: the README has at most 150 lines", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(150);
});
