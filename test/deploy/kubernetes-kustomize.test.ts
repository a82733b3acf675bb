import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, it } from "@jest/globals";
import type { ICluster } from "@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1";
import type { IDeployment } from "kubernetes-models/apps/v1";
import { describeWhere } from "../support/program/describe-where.ts";
import {
  MANIFESTS,
  type Manifest,
  OBJECTS,
  parseManifests,
  readKustomization,
} from "./kubernetes/manifests.ts";
import { problemsOf } from "./kubernetes/schemas.ts";

const kustomize = (folder: string) =>
  execFileSync("kubectl", ["kustomize", folder], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Returns what kubectl builds, without the hash at the end of generated names. */
function build(folder: string): Manifest[] {
  const text = kustomize(`${MANIFESTS}${folder}`);
  return parseManifests(text.replaceAll(/\b(deployments|settings|api-settings)-[0-9a-z]{10}\b/g, "$1"));
}

const namesOf = (objects: Manifest[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();

describeWhere("kustomize", "kubectl kustomize", () => {
  it.each(["base", "database"])("builds of %s the objects that the other tests look at", (folder) => {
    const built = build(folder);
    expect(namesOf(built)).toEqual(namesOf(readKustomization(`${MANIFESTS}${folder}`)));
    for (const object of built)
      expect({ kind: object.kind, problems: problemsOf(object) }).toEqual({
        kind: object.kind,
        problems: [],
      });
  });

  it("builds of the example all objects, with its own image, settings, bucket and nodes", () => {
    const built = build("overlays/example");
    expect(namesOf(built)).toEqual([...namesOf(OBJECTS), "Ingress api"].sort());
    for (const object of built) {
      expect({ kind: object.kind, problems: problemsOf(object) }).toEqual({
        kind: object.kind,
        problems: [],
      });
      if (object.kind !== "Namespace") expect(object.metadata.namespace).toBe("partner-trading");
    }
    const text = JSON.stringify(built);
    expect(text.match(/"image":"[^"]*partner-trading-api:[^"]+"/g)).toHaveLength(7);
    expect(text).not.toContain('"image":"partner-trading-api');
    expect(text).toContain("s3://example-backups/trading-db");
    expect(text).not.toContain("set-by-an-overlay");
    expect(text).toContain("10.20.0.0/28");
  });

  it("names ConfigMaps by their content, so that a changed setting restarts the programs", () => {
    const text = kustomize(`${MANIFESTS}base`);
    const [, name] = /name: (api-settings-[0-9a-z]{10})\n/.exec(text) ?? [];
    expect(text.split(`name: ${name}\n`)).toHaveLength(3);
  });

  it("has a component that lets a new build of the indexer start beside the old one", () => {
    const indexer = buildWith("indexer-side-by-side").find(
      ({ kind, metadata }) => `${kind} ${metadata.name}` === "Deployment indexer",
    );
    if (!indexer) throw new Error("no indexer");
    expect(problemsOf(indexer)).toEqual([]);
    expect((indexer as Manifest & IDeployment).spec?.strategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
  });

  it("has a component that makes the Cluster of its backup, and archives apart from what it was made of", () => {
    const cluster = buildWith("restore").find(({ kind }) => kind === "Cluster") as Manifest & ICluster;
    expect(problemsOf(cluster)).toEqual([]);
    const { bootstrap, externalClusters, plugins } = cluster.spec ?? {};
    expect(bootstrap).toEqual({ recovery: { source: "before", database: "trading", owner: "trading" } });
    const parameters = [externalClusters?.[0]?.plugin?.parameters, plugins?.[0]?.parameters];
    expect(parameters).toEqual([
      { barmanObjectName: "trading-db-backups", serverName: "trading-db" },
      { barmanObjectName: "trading-db-backups", serverName: "trading-db-2" },
    ]);
  });
});

/** Returns what an overlay builds that has the component. */
function buildWith(component: string): Manifest[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "partner-kustomize-"));
  try {
    const manifests = relative(folder, realpathSync(MANIFESTS));
    const kustomization = {
      resources: [`${manifests}/base`, `${manifests}/database`],
      components: [`${manifests}/components/${component}`],
    };
    writeFileSync(join(folder, "kustomization.yaml"), JSON.stringify(kustomization));
    return parseManifests(kustomize(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
