// Shipped packages: those whose code the bundler put into dist/, whichever part of package.json names them, and those that the
// image has beside it. Licences (test/docs/licences.test.ts) and advisories (audit.ts) are checked for these.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { build } from "../build.mjs";
import { ROOT } from "../src/config/root.ts";

const entryPointSchema = z.union([z.string(), z.object({ in: z.string() }).transform((entry) => entry.in)]);
const recordSchema = z.object({
  entryPoints: z.array(z.array(entryPointSchema)),
  packages: z.array(z.string()),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
      /** A package of packages/. */
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
});
export type Lock = z.output<typeof lockSchema>["packages"];

/** Returns the packages of package-lock.json, by their paths below the root. */
export const readLock = (): Lock =>
  lockSchema.parse(JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"))).packages;

/** Returns the paths of all shipped packages. Builds first where the build is not current. */
export async function shippedPackages(): Promise<string[]> {
  const { entryPoints, packages } = readBuild(await build());
  const lock = readLock();
  // A package's file that is an entry point is already a bundle of that package's dependencies: no bundler sees its content.
  const bundles = entryPoints.flat().flatMap((path) => placeOf(path) ?? []);
  const shipped = [...packages, ...bundles.flatMap((place) => [...closureOf(lock, place)]), ...inImage()];
  return [...new Set(shipped)].sort();
}

/** Returns the record of a build. */
function readBuild(directory: string) {
  return recordSchema.parse(JSON.parse(readFileSync(join(directory, "made-of.json"), "utf8")));
}

const placeOf = (path: string): string | undefined =>
  /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];

/** Returns the packages from which deploy/Dockerfile copies files beside the bundles. */
function inImage(): string[] {
  const dockerfile = readFileSync(`${ROOT}deploy/Dockerfile`, "utf8");
  const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(node_modules\/\S+)/gm)];
  return copied.flatMap(([, path = ""]) => placeOf(path) ?? []);
}

/** Returns a package and all of its dependencies. */
function closureOf(lock: Lock, place: string, known = new Set<string>()): Set<string> {
  if (known.has(place)) return known;
  known.add(place);
  for (const name of Object.keys(lock[place]?.dependencies ?? {})) {
    const found = resolve(lock, place, name);
    if (found === null) throw new Error(`package-lock.json does not have ${name}, on which ${place} depends`);
    closureOf(lock, found, known);
  }
  return known;
}

/** Returns the path where a package finds another one: in its own node_modules, or in those around it. */
function resolve(lock: Lock, from: string, name: string): string | null {
  const around = from === "" ? "" : `${from}/`;
  if (lock[`${around}node_modules/${name}`]) return `${around}node_modules/${name}`;
  if (from === "") return null;
  return resolve(lock, from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1)), name);
}
