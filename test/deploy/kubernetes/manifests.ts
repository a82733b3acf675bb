// Reads deploy/kubernetes without kubectl: resources and generated ConfigMaps, under their names without a hash.
import { readFileSync, statSync } from "node:fs";
import { basename, join, normalize } from "node:path";
import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IJob } from "kubernetes-models/batch/v1";
import type { IConfigMap, IContainer, IPodTemplateSpec } from "kubernetes-models/v1";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { ROOT } from "../../../src/config/root.ts";

export const MANIFESTS = `${ROOT}deploy/kubernetes/`;

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).optional() }),
});
export type Manifest = z.output<typeof manifestSchema>;

const kustomizationSchema = z.looseObject({
  resources: z.array(z.string()).default([]),
  images: z.array(z.strictObject({ name: z.string(), newTag: z.string() })).default([]),
  configMapGenerator: z
    .array(
      z.object({
        name: z.string(),
        files: z.array(z.string()).default([]),
        envs: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});

/** Returns the objects of a stream of YAML. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return manifestSchema.parse(document.toJS());
  });
}

/** Returns the objects of a kustomization that has no patches. */
export function readKustomization(folder: string): Manifest[] {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const { resources, images, configMapGenerator } = kustomizationSchema.parse(
    parse(read("kustomization.yaml")),
  );
  const generated = configMapGenerator.map(({ name, files, envs }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: Object.fromEntries([
      ...files.map((file) => [basename(file), read(file)]),
      ...envs.flatMap((file) => readVariables(read(file))),
    ]),
  }));
  const listed = resources.flatMap((resource) => {
    const path = normalize(join(folder, resource));
    return statSync(path).isDirectory() ? readKustomization(path) : parseManifests(read(resource));
  });
  const tagged = images.reduce(
    (text, { name, newTag }) => text.replaceAll(`"image":"${name}"`, `"image":"${name}:${newTag}"`),
    JSON.stringify(listed),
  );
  return [...z.array(manifestSchema).parse(JSON.parse(tagged)), ...generated];
}

/** Returns the variables of an .env file, as kustomize reads it. */
function readVariables(text: string): [name: string, value: string][] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
}

/** The programs and what they stand on: base and database. */
export const OBJECTS = [
  ...readKustomization(`${MANIFESTS}base`),
  ...readKustomization(`${MANIFESTS}database`),
];

/** Returns the objects of a kind. */
export const ofKind = <T>(kind: string): (Manifest & T)[] =>
  OBJECTS.filter((object) => object.kind === kind) as (Manifest & T)[];

/** A Deployment of a program, or the Job. */
export interface Workload {
  kind: string;
  name: string;
  component: string;
  template: IPodTemplateSpec;
  pod: NonNullable<IPodTemplateSpec["spec"]>;
  container: IContainer;
}

function workloadOf(manifest: Manifest & (IDeployment | IJob)): Workload {
  const { template } = manifest.spec ?? {};
  const [container, ...others] = template?.spec?.containers ?? [];
  if (!template?.spec || !container || others.length > 0) throw new Error("a pod has one container");
  const { kind, metadata } = manifest;
  const component = metadata.labels?.["app.kubernetes.io/component"] ?? "none";
  return { kind, name: metadata.name, component, template, pod: template.spec, container };
}

export const WORKLOADS = [...ofKind<IDeployment>("Deployment"), ...ofKind<IJob>("Job")].map(workloadOf);

export function workload(component: string): Workload {
  const found = WORKLOADS.find((candidate) => candidate.component === component);
  if (!found) throw new Error(`no workload ${component}`);
  return found;
}

/** Returns the data of a ConfigMap. */
export function configMap(name: string): Record<string, string> {
  const found = ofKind<IConfigMap>("ConfigMap").find(({ metadata }) => metadata.name === name);
  if (!found?.data) throw new Error(`no ConfigMap ${name}`);
  return found.data as Record<string, string>;
}
