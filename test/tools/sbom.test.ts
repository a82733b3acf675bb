import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { build } from "../../build.mjs";
import { ROOT } from "../../src/config/root.ts";
import { readLock } from "../../tools/shipped-packages.ts";

const licences = z
  .array(
    z.union([
      z.strictObject({ license: z.strictObject({ id: z.string().regex(/^[\w.+-]+$/) }) }),
      z.strictObject({ expression: z.string().regex(/ (?:AND|OR) /) }),
    ]),
  )
  .length(1);
const identity = {
  "bom-ref": z.string().min(1),
  group: z.string().startsWith("@").optional(),
  name: z.string().regex(/^[^/@]+$/),
  version: z.string().max(1024),
  purl: z.string().regex(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@[\w.%-]+$/),
};
/** The used part of http://cyclonedx.org/schema/bom-1.6.schema.json. */
const sbomSchema = z.strictObject({
  $schema: z.literal("http://cyclonedx.org/schema/bom-1.6.schema.json"),
  bomFormat: z.literal("CycloneDX"),
  specVersion: z.literal("1.6"),
  version: z.literal(1),
  metadata: z.strictObject({
    lifecycles: z.tuple([z.strictObject({ phase: z.literal("build") })]),
    component: z.strictObject({ type: z.literal("application"), ...identity, licenses: licences }),
  }),
  components: z.array(
    z.strictObject({
      type: z.literal("library"),
      ...identity,
      licenses: licences.optional(),
      hashes: z.array(
        z.strictObject({ alg: z.literal("SHA-512"), content: z.string().regex(/^[0-9a-f]{128}$/) }),
      ),
      properties: z
        .array(z.strictObject({ name: z.literal("cdx:npm:package:path"), value: z.string() }))
        .min(1),
    }),
  ),
});

const lock = readLock();
let sbom: z.output<typeof sbomSchema>;
beforeAll(async () => {
  sbom = sbomSchema.parse(JSON.parse(readFileSync(join(await build(), "sbom.json"), "utf8")));
});

it("is of this version, and names each package of a version once", () => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  expect(sbom.metadata.component).toMatchObject({ name: "partner-trading-api", version });
  const references = sbom.components.map((component) => component["bom-ref"]);
  expect(references.length).toBeGreaterThan(250);
  expect(references).toEqual([...new Set(references)]);
});

it("has the version, licence and hash of package-lock.json at each place of a package", () => {
  const listed = sbom.components.flatMap(({ group, name, version, purl, licenses, hashes, properties }) => {
    const fullName = group ? `${group}/${name}` : name;
    expect(decodeURIComponent(purl)).toBe(`pkg:npm/${fullName}@${version}`);
    const integrity = hashes.map(({ content }) => `sha512-${Buffer.from(content, "hex").toString("base64")}`);
    const license = licenses?.map((one) => ("license" in one ? one.license.id : one.expression)).join();
    return properties.map(({ value }) => ({ place: value, name: fullName, version, license, integrity }));
  });
  expect(listed).toEqual(
    listed.map(({ place }) => ({
      place,
      name: place.split("node_modules/").at(-1),
      version: lock[place]?.version,
      license: lock[place]?.license,
      integrity: lock[place]?.integrity?.split(" "),
    })),
  );
});

it("has the packages that the image takes from node_modules beside the bundles", () => {
  const places = sbom.components.flatMap(({ properties }) => properties.map(({ value }) => value));
  const copied = readFileSync(`${ROOT}deploy/Dockerfile`, "utf8").matchAll(
    /^COPY --from=build \/app\/(node_modules\/(?:@[^/\s]+\/)?[^/\s]+)/gm,
  );
  const inImage = [...copied].map(([, place = ""]) => place);
  expect(inImage).not.toEqual([]);
  expect(inImage.filter((place) => !places.includes(place))).toEqual([]);
});
