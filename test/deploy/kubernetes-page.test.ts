import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";
import { ROLES } from "../../src/db/roles.ts";
import { secretKeysOf } from "./kubernetes/environment.ts";
import { OBJECTS, ofKind, WORKLOADS } from "./kubernetes/manifests.ts";

const page = readFileSync(`${ROOT}docs/operations/kubernetes.md`, "utf8");
const commands = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)]
  .map(([, block = ""]) => block.replaceAll("\\\n", " "))
  .join("\n");

/** Returns the keys of Secrets that the page's commands create, as `secret/key`. */
function createdKeys(): string[] {
  const created = [...commands.matchAll(/create secret generic (\S+) (.*)/g)].flatMap(
    ([, secret = "", rest = ""]) =>
      [...rest.matchAll(/--from-(?:literal|file)=(\w[\w-]*)=/g)].map(([, key]) => `${secret}/${key}`),
  );
  // The loop over the roles.
  return created.flatMap((name) =>
    name.includes("$role") ? Object.keys(ROLES).map((role) => name.replace("$role", role)) : [name],
  );
}

describe("docs/operations/kubernetes.md", () => {
  it("creates every key of a Secret that the manifests name, and no other", () => {
    const inPrograms = WORKLOADS.flatMap(secretKeysOf).map(({ secret, key }) => `${secret}/${key}`);
    const reference = z.object({ name: z.string(), key: z.string() });
    const [store] = ofKind<{ spec: unknown }>("ObjectStore");
    const { configuration } = z
      .object({ configuration: z.looseObject({ s3Credentials: z.record(z.string(), reference) }) })
      .parse(store?.spec);
    const ofBackups = Object.values(configuration.s3Credentials).map(({ name, key }) => `${name}/${key}`);
    const ofRoles = Object.keys(ROLES).flatMap((role) => [
      `database-${role}/username`,
      `database-${role}/password`,
    ]);
    // CloudNativePG makes the certificate.
    const named = new Set(
      [...inPrograms, ...ofBackups, ...ofRoles].filter((key) => key !== "trading-db-ca/ca.crt"),
    );
    expect(createdKeys().sort()).toEqual([...named].sort());
  });

  it("names objects and folders that exist", () => {
    const names = new Set(OBJECTS.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`));
    const named = [...commands.matchAll(/\b(?:deployment|job|cluster|service)\/[\w-]+/g)].map(
      ([name]) => name,
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    const folders = [...commands.matchAll(/deploy\/kubernetes\/[\w./-]+/g)].map(([folder]) => folder);
    // A copy of the example.
    const own = folders.map((folder) => folder.replace("overlays/production", "overlays/example"));
    expect(own.length).toBeGreaterThan(1);
    expect(own.filter((folder) => !existsSync(`${ROOT}${folder}`))).toEqual([]);
  });

  it("describes every kind of object", () => {
    const table = page.slice(
      page.indexOf("## What each object is for"),
      page.indexOf("## The caller's address"),
    );
    // Also in the plural.
    const missing = OBJECTS.filter(({ kind }) => !table.includes(kind.replace(/y$/, "")));
    expect(missing.map(({ kind }) => kind)).toEqual([]);
  });
});
