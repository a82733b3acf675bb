import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
import { type Lock, readLock, shippedPackages } from "../../tools/shipped-packages.ts";

/** Licences that let a service use a package, and ask for no more than a notice. */
const TAKEN: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "Unlicense",
  "Python-2.0",
  "MIT-0",
]);
/** Packages whose package.json names no licence, by version, and where it was found. */
const FOUND: ReadonlyMap<string, string> = new Map([
  // Its version 0.0.7 names the licence in package.json.
  ["node_modules/neverpanic 0.0.5", "MIT"],
]);

const lock: Lock = readLock();
let shipped: string[];
beforeAll(async () => {
  shipped = await shippedPackages();
});

/** Returns whether one of the alternatives of an SPDX expression is taken. */
const isTaken = (license: string) =>
  license
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((alternative) => alternative.split(" AND ").every((one) => TAKEN.has(one)));

const othersOf = (places: readonly string[]) =>
  places
    .map((path) => {
      const { license, version } = lock[path] ?? {};
      return { path, license: license ?? FOUND.get(`${path} ${version}`) ?? "none" };
    })
    .filter(({ license }) => !isTaken(license));

it("every package that is shipped has a licence that is taken", () => {
  expect(shipped.length).toBeGreaterThan(250);
  expect(shipped.filter((path) => lock[path] === undefined)).toEqual([]);
  expect(othersOf(shipped)).toEqual([]);
});

// An installation from a checkout has them without the development and optional ones (docs/operations/README.md).
it("every package of production has a licence that is taken", () => {
  const production = Object.entries(lock).filter(
    ([path, { link, dev, optional, devOptional }]) =>
      path.includes("node_modules/") && !link && !dev && !optional && !devOptional,
  );
  expect(production.length).toBeGreaterThan(100);
  expect(othersOf(production.map(([path]) => path))).toEqual([]);
});

it("what is shipped is what the bundles contain, whichever part of package.json names it, and what the image has besides", () => {
  // esbuild names the file of each part in a comment, where it does not minify.
  const named = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[jt]s$/.test(file))
    .flatMap((file) => [...readFileSync(join(ROOT, "dist", file), "utf8").matchAll(COMMENT)])
    .map(([, place = ""]) => place);
  expect(new Set(named).size).toBeGreaterThan(200);
  expect([...new Set(named)].filter((place) => !shipped.includes(place))).toEqual([]);
  const isDevelopment = (place: string) => lock[place]?.dev === true;
  expect(named.filter(isDevelopment)).toContain("node_modules/@opentelemetry/sdk-trace-base");
  for (const name of ["preact", "uplot", "marked", "@prisma/client", "@prisma/schema-engine-wasm"])
    expect(shipped).toContain(`node_modules/${name}`);
  for (const name of ["jest", "typescript", "esbuild"]) expect(shipped).not.toContain(`node_modules/${name}`);
});

const COMMENT = /^\s*\/\/ (node_modules\/(?:\S*\/node_modules\/)?(?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm;
