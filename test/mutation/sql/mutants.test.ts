import { existsSync, readdirSync, readFileSync } from "node:fs";
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

it("a mutant of a migration is of what no later migration replaces", () => {
  const migrations = readdirSync(join(ROOT, "prisma/migrations"))
    .sort()
    .map((name) => `prisma/migrations/${name}/migration.sql`);
  const CREATED = /CREATE (?:OR REPLACE )?(?:FUNCTION|TRIGGER|VIEW|(?:UNIQUE )?INDEX) ([\w".]+)/g;
  const createdIn = (text: string) => [...text.matchAll(CREATED)].map(([, name]) => name);
  const isReplaced = ({ file, find, after }: Mutant) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const end = text.indexOf(find, after === undefined ? 0 : text.indexOf(after)) + find.length;
    const name = createdIn(text.slice(0, end)).at(-1);
    const later = migrations.filter((path) => path > file && existsSync(join(ROOT, path)));
    return later.some((path) => createdIn(readFileSync(join(ROOT, path), "utf8")).includes(name));
  };
  const mutants = MUTANTS.filter(({ file }) => file.startsWith("prisma/"));
  expect(mutants.filter(isReplaced).map(({ id }) => id)).toEqual([]);
});

it("mutants have ids and titles of their own", () => {
  for (const names of [MUTANTS.map(({ id }) => id), MUTANTS.map(({ title }) => title)]) {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  }
});
