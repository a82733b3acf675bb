// Validates objects with the schemas of Kubernetes and CloudNativePG. The API server drops, or warns of, fields that it does
// not know; here they are errors, since one that is misspelt does nothing.
import { BarmanObjectStoreConfiguration } from "@kubernetes-models/cloudnative-pg/github.com/cloudnative-pg/barman-cloud/pkg/api";
import { Cluster, Pooler, ScheduledBackup } from "@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1";
import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Job } from "kubernetes-models/batch/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Namespace, Service } from "kubernetes-models/v1";
import { z } from "zod";
import type { Manifest } from "./manifests.ts";

type Validator = (object: object) => void;

const MODELS = {
  "v1/Namespace": Namespace,
  "v1/ConfigMap": ConfigMap,
  "v1/Service": Service,
  "apps/v1/Deployment": Deployment,
  "batch/v1/Job": Job,
  "autoscaling/v2/HorizontalPodAutoscaler": HorizontalPodAutoscaler,
  "policy/v1/PodDisruptionBudget": PodDisruptionBudget,
  "networking.k8s.io/v1/NetworkPolicy": NetworkPolicy,
  "networking.k8s.io/v1/Ingress": Ingress,
  "postgresql.cnpg.io/v1/Cluster": Cluster,
  "postgresql.cnpg.io/v1/Pooler": Pooler,
  "postgresql.cnpg.io/v1/ScheduledBackup": ScheduledBackup,
};

/** The used part of the Barman Cloud plugin's ObjectStore. CloudNativePG has the schema of its configuration. */
const objectStoreSchema = z.strictObject({
  apiVersion: z.literal("barmancloud.cnpg.io/v1"),
  kind: z.literal("ObjectStore"),
  metadata: z.strictObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.strictObject({
    retentionPolicy: z.string().regex(/^[1-9][0-9]*[dwm]$/),
    configuration: z.record(z.string(), z.unknown()),
  }),
});

const validators = new Map<string, Validator>([
  ...Object.entries(MODELS).map(([name, model]): [string, Validator] => [name, validatorOf(model)]),
  [
    "barmancloud.cnpg.io/v1/ObjectStore",
    (object) => {
      const { configuration } = objectStoreSchema.parse(object).spec;
      validatorOf(BarmanObjectStoreConfiguration)(configuration);
    },
  ],
]);

/** Returns the model's own check, for an object that is not copied into a model. */
function validatorOf(model: { prototype: { validate(): void } }): Validator {
  return (object) => model.prototype.validate.call(object);
}

/** Returns what is wrong with an object: what its schema refuses, and the fields that the schema does not have. */
export function problemsOf(object: Manifest): string[] {
  const type = `${object.apiVersion}/${object.kind}`;
  const validate = validators.get(type);
  if (!validate) return [`no schema of ${type}`];
  const read = new Set<string>();
  try {
    validate(recordReads(object, "", read));
  } catch (error) {
    return [String(error)];
  }
  return pathsOf(object, "")
    .filter((path) => !read.has(path))
    .map((path) => `${path}: no such field`);
}

/** Returns the value as a view that adds the path of each property that is read: a validator reads those that it knows. */
function recordReads<T>(value: T, path: string, read: Set<string>): T {
  if (value === null || typeof value !== "object") return value;
  return new Proxy(value, {
    get: (target, key) => {
      const below = `${path}/${String(key)}`;
      read.add(below);
      return recordReads(Reflect.get(target, key), below, read);
    },
  });
}

function pathsOf(value: unknown, path: string): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, child]) => [
    `${path}/${key}`,
    ...pathsOf(child, `${path}/${key}`),
  ]);
}
