import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { ENV_NAMES } from "../../src/config/env.ts";
import { specRows } from "../support/assert/spec.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

it("documents every variable of every program, and no other", () => {
  const table = readme.slice(readme.indexOf("### Configuration"), readme.indexOf("### Deployments file"));
  const documented = table
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => line.split("|")[1]?.match(/[A-Z][A-Z_]+/g) ?? []);
  expect([...new Set(documented)].sort()).toEqual([...new Set(Object.values(ENV_NAMES).flat())].sort());
});

it("names every endpoint of the specification, and where all of them are listed", () => {
  const table = readme.slice(readme.indexOf("## Endpoints"), readme.indexOf("## Production"));
  expect(table).toContain("(docs/endpoints.md)");
  const missing = specRows
    .flatMap(({ section, cells }) => (section.startsWith("4.") && cells?.Path ? [cells.Path] : []))
    // The four movements' send, tx and details are named once for all.
    .filter((path) => !/^\/(cash|stock)\/\w+\/(send|tx|\{operationId\})$/.test(path))
    .filter((path) => !table.includes(`\`${path}\``));
  expect(missing).toEqual([]);
});

it("shows the example that is run, to the letter", () => {
  const example = readFileSync(new URL("../../examples/first-order.mjs", import.meta.url), "utf8");
  expect(readme).toContain(`node examples/first-order.mjs`);
  expect(/```js\n(.*?)```/s.exec(readme)?.[1]).toBe(example);
});
