import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";

/** Licences that let a service use a package, and ask for no more than a notice. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0", "CC0-1.0"],
  ...["Unlicense", "Python-2.0", "MIT-0"],
]);

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      license: z.string().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
});

/** Returns whether one of the alternatives of an SPDX expression is taken. */
const isTaken = (license: string) =>
  license
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((alternative) => alternative.split(" AND ").every((one) => TAKEN.has(one)));

// Production is installed without development and optional dependencies (docs/operations/README.md).
it("every package of production has a licence that is taken", () => {
  const lock = lockSchema.parse(JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8")));
  const production = Object.entries(lock.packages).filter(
    ([path, { dev, optional, devOptional }]) =>
      path.includes("node_modules/") && !dev && !optional && !devOptional,
  );
  expect(production.length).toBeGreaterThan(100);
  const others = production
    .map(([path, { license = "none" }]) => ({ path, license }))
    .filter(({ license }) => !isTaken(license));
  expect(others).toEqual([]);
});
