import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";
// @ts-expect-error: a plain script, which npm runs without any build.
import { completeLock, missingEntries } from "../../tools/complete-lock.mjs";

const readText = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const read = (name: string): unknown => JSON.parse(readText(name));
const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({ resolved: z.string().optional(), hasInstallScript: z.boolean().optional() }),
  ),
});

const lockOf = (packages: Record<string, object>) => ({
  lockfileVersion: 3,
  packages: { "": {}, ...packages },
});

describe("package-lock.json", () => {
  const lock = lockSchema.parse(read("package-lock.json"));

  it("holds an entry for every optional binary of every platform, as `npm ci` demands", () => {
    expect(Object.keys(missingEntries(lock))).toEqual([]);
  });

  it("names no registry host", () => {
    const named = Object.entries(lock.packages).flatMap(([, { resolved }]) => resolved ?? []);
    // Links to the packages of this repository.
    expect(named.filter((resolved) => !existsSync(`${ROOT}${resolved}/package.json`))).toEqual([]);
  });

  it("leaves no install script undecided in allowScripts of package.json, which names no other package", () => {
    const { allowScripts } = z
      .looseObject({ allowScripts: z.record(z.string(), z.boolean()) })
      .parse(read("package.json"));
    const scripted = Object.entries(lock.packages)
      .filter(([path, { hasInstallScript }]) => path !== "" && hasInstallScript)
      .map(([path]) => path.split("node_modules/").at(-1));
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(scripted)].sort());
  });
});

it("runs no install script where the programs are installed for production, whatever the version of npm", () => {
  // Versions of npm before 11 do not read allowScripts.
  const documents = ["deploy/Dockerfile", "docs/operations/README.md"].map(readText);
  const installs = documents.flatMap((text) => text.match(/^.*\bnpm (ci|install)\b.*$/gm) ?? []);
  const building = installs.filter((line) => line.includes("npm ci && npm run build"));
  expect(building).toHaveLength(1);
  expect(installs.length).toBeGreaterThan(2);
  for (const line of installs) if (!building.includes(line)) expect(line).toContain("--ignore-scripts");
});

describe("completing a lock file", () => {
  const parent = { version: "2.0.0", optionalDependencies: { "@x/cli-linux-x64-musl": "2.0.0" } };

  it("adds what is missing beside its parent's group, with the platform that its name tells", () => {
    expect(missingEntries(lockOf({ "node_modules/x": { ...parent, dev: true } }))).toEqual({
      "node_modules/@x/cli-linux-x64-musl": {
        version: "2.0.0",
        dev: true,
        optional: true,
        os: ["linux"],
        cpu: ["x64"],
        libc: ["musl"],
      },
    });
    const windows = { version: "1.0.0", optionalDependencies: { "@x/windows-amd64": "^1.0.0" } };
    expect(missingEntries(lockOf({ "node_modules/x": windows }))).toEqual({
      "node_modules/@x/windows-amd64": { version: "1.0.0", optional: true, os: ["win32"], cpu: ["x64"] },
    });
  });

  it("adds nothing for what is there, in the parent's folder or in one above", () => {
    const found = { version: "2.0.0" };
    for (const path of [
      "node_modules/@x/cli-linux-x64-musl",
      "node_modules/x/node_modules/@x/cli-linux-x64-musl",
    ])
      expect({ path, missing: missingEntries(lockOf({ "node_modules/x": parent, [path]: found })) }).toEqual({
        path,
        missing: {},
      });
  });

  it("puts a second version into its parent's folder", () => {
    const other = { version: "1.0.0" };
    const lock = lockOf({ "node_modules/x": parent, "node_modules/@x/cli-linux-x64-musl": other });
    expect(Object.keys(missingEntries(lock))).toEqual(["node_modules/x/node_modules/@x/cli-linux-x64-musl"]);
  });

  it("is done once, keeps every entry as it is, and keeps their order", () => {
    const lock = lockOf({ "node_modules/z": { version: "1.0.0" }, "node_modules/x": parent });
    const complete = completeLock(lock);
    expect(complete.packages).toMatchObject(lock.packages);
    expect(Object.keys(complete.packages)).toEqual([
      "",
      "node_modules/@x/cli-linux-x64-musl",
      "node_modules/x",
      "node_modules/z",
    ]);
    expect(completeLock(complete)).toEqual(complete);
  });

  it("refuses what it cannot derive", () => {
    const odd = (name: string, range: string) =>
      missingEntries(
        lockOf({ "node_modules/x": { version: "1.0.0", optionalDependencies: { [name]: range } } }),
      );
    expect(() => odd("@x/native", "1.0.0")).toThrow("cannot derive the platform of @x/native");
    expect(() => odd("@x/linux-x64", ">=1 <3")).toThrow("cannot derive a version of @x/linux-x64");
  });
});
