// Shipped packages: those whose code the bundler put into dist/, whichever part of package.json names them. Licences
// (test/docs/licences.test.ts) and advisories (audit.ts) are checked for these.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { build } from "../build.mjs";
import { ROOT } from "../src/config/root.ts";

const sbomSchema = z.object({
  components: z.array(z.object({ properties: z.array(z.object({ value: z.string() })) })),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      integrity: z.string().optional(),
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

/** Returns the paths of all shipped packages, by dist/sbom.json. Builds first where the build is not current. */
export async function shippedPackages(): Promise<string[]> {
  const sbom = JSON.parse(readFileSync(join(await build(), "sbom.json"), "utf8"));
  const { components } = sbomSchema.parse(sbom);
  return components.flatMap(({ properties }) => properties.map(({ value }) => value)).sort();
}
