import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { ROOT } from "./checkout.ts";
import { type Mutant, mutate } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";

/** Returns the reason why a mutant no longer fits the sources, or null. */
function problemOf(mutant: Mutant): string | null {
  const missing = mutant.tests.filter(({ file }) => !existsSync(join(ROOT, file)));
  if (mutant.tests.length === 0 || missing.length > 0) return `${mutant.id}: its tests are not there`;
  try {
    mutate(readFileSync(join(ROOT, mutant.file), "utf8"), mutant);
    return null;
  } catch (error) {
    return String(error);
  }
}

it("every mutant changes its file in one place, and its tests exist", () => {
  expect(MUTANTS.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
});

it("mutants have ids and titles of their own", () => {
  for (const names of [MUTANTS.map(({ id }) => id), MUTANTS.map(({ title }) => title)]) {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  }
});
