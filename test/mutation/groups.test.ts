import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
// @ts-expect-error: a plain script, which the mutation runner loads without any build.
import { GROUPS } from "./groups.mjs";

interface Group {
  name: string;
  /** Files, some with a range of lines behind a colon. */
  mutate: string[];
  tests: string[];
}

const groups: Group[] = GROUPS;
const exists = (path: string) => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));

it("every group mutates files that exist, and runs tests that exist", () => {
  const missing = groups.flatMap(({ name, mutate, tests }) =>
    [...mutate.map((path) => path.replace(/:.*$/, "")), ...tests]
      .filter((path) => !exists(path))
      .map((path) => `${name}: ${path}`),
  );
  expect(groups.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
