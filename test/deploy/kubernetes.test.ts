import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1";
import type { INamespace, IService } from "kubernetes-models/v1";
import { z } from "zod";
import { loadDeployments } from "../../src/config/deployments.ts";
import { ROOT } from "../../src/config/root.ts";
import {
  configMap,
  MANIFESTS,
  type Manifest,
  OBJECTS,
  ofKind,
  parseManifests,
  WORKLOADS,
  workload,
} from "./kubernetes/manifests.ts";
import { problemsOf } from "./kubernetes/schemas.ts";

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
const ingress = parseManifests(readFileSync(`${MANIFESTS}overlays/example/ingress.yaml`, "utf8"));
const proxies = parseManifests(readFileSync(`${MANIFESTS}overlays/example/proxies.yaml`, "utf8"));
const files = readdirSync(MANIFESTS, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath}/${entry.name}`);

describe("the manifests", () => {
  it.each([...OBJECTS, ...ingress, ...proxies].map((object) => [nameOf(object), object] as const))(
    "match their schemas: %s",
    (_name, object) => {
      expect(problemsOf(object)).toEqual([]);
    },
  );

  it.each([
    ["a field in the wrong place", "Deployment worker", "spec", { progressDeadline: 1 }],
    ["a wrong type", "Deployment worker", "spec", { replicas: "2" }],
    ["an unknown field of CloudNativePG", "Cluster trading-db", "spec", { syncReplicas: 1 }],
    ["an unknown field of an object store", "ObjectStore trading-db-backups", "spec", { retention: "30d" }],
    ["an unknown root", "NetworkPolicy default-deny", "policy", {}],
  ])("would be refused for %s", (_what, name, field, change) => {
    const object = OBJECTS.find((candidate) => nameOf(candidate) === name) as Manifest;
    const changed = { ...object, [field]: { ...(object[field] as object), ...change } };
    expect(problemsOf(changed)).not.toEqual([]);
  });

  it("name each object once", () => {
    const names = OBJECTS.map(nameOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.length).toBeGreaterThan(25);
  });

  it("carry the version of this package in images and in the migration's name", () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")));
    const images = WORKLOADS.map(({ container }) => container.image);
    expect(new Set(images)).toEqual(new Set([`partner-trading-api:${version}`]));
    expect(workload("migrate").name).toBe(`migrate-${version.replaceAll(".", "-")}`);
  });

  it("hold no secret, and no image without a version", () => {
    expect(OBJECTS.filter(({ kind }) => kind === "Secret")).toEqual([]);
    expect(files.length).toBeGreaterThan(12);
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      expect(text).not.toMatch(/[0-9a-fA-F]{48}|BEGIN [A-Z ]*KEY|:latest\b/);
      // A URL of a database takes its password from a variable.
      expect(text.replaceAll("$(DATABASE_PASSWORD)", "")).not.toMatch(/:\/\/[^/\s"@]*:[^/\s"@]+@/);
    }
  });

  it("have a deployments file that the programs accept", () => {
    const env = { RPC_URL_1: "https://node.example/key" };
    for (const folder of ["base", "overlays/example"]) {
      const { chains } = loadDeployments(`${MANIFESTS}${folder}/deployments.json`, env);
      expect({ folder, chains: chains.map(({ chainId }) => chainId) }).toEqual({ folder, chains: [1] });
    }
    expect(JSON.parse(configMap("deployments")["deployments.json"] ?? "")).toHaveProperty("chains");
  });
});

describe("pods", () => {
  it("are those that the namespace's pod security admits: restricted", () => {
    const labels = ofKind<INamespace>("Namespace")[0]?.metadata.labels;
    expect(labels).toHaveProperty(["pod-security.kubernetes.io/enforce"], "restricted");
    for (const { pod, container } of WORKLOADS) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10001,
        runAsGroup: 10001,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const { hostNetwork, hostPID, hostIPC } = pod;
      expect({ name: container.name, hostNetwork, hostPID, hostIPC }).toEqual({ name: container.name });
    }
  });

  it("have no token of the Kubernetes API, no variables of Services, and bounded memory", () => {
    for (const { pod, container } of WORKLOADS) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  });

  it("are found by the selectors of what refers to them", () => {
    const selectors = [
      ...ofKind<IService>("Service").map(({ spec }) => spec?.selector),
      ...ofKind<IPodDisruptionBudget>("PodDisruptionBudget").map(({ spec }) => spec?.selector?.matchLabels),
      ...ofKind<{ spec: { selector: { matchLabels: object } } }>("Deployment").map(
        ({ spec }) => spec.selector.matchLabels,
      ),
    ];
    const pods = [
      ...WORKLOADS.map(({ template }) => template.metadata?.labels),
      ...["trading-db-pooler", "trading-db-pooler-ro"].map((name) => ({
        "cnpg.io/cluster": "trading-db",
        "cnpg.io/poolerName": name,
      })),
    ];
    expect(selectors.length).toBeGreaterThan(6);
    for (const selector of selectors) {
      const found = pods.filter((labels) => contains(labels, selector));
      expect({ selector, found }).toEqual({ selector, found: [expect.anything()] });
    }
  });

  it("may be evicted: what has a disruption budget has more pods than the budget keeps", () => {
    const budgets = ofKind<IPodDisruptionBudget>("PodDisruptionBudget");
    expect(budgets.map(({ metadata }) => metadata.name)).toEqual([
      "api",
      "worker",
      "deliverer",
      "trading-db-pooler",
      "trading-db-pooler-ro",
    ]);
    for (const { metadata, spec } of budgets) {
      expect(spec).toMatchObject({ maxUnavailable: 1 });
      const replicas = replicasOf(metadata.name);
      expect({ name: metadata.name, replicas, isMany: replicas > 1 }).toEqual({
        name: metadata.name,
        replicas,
        isMany: true,
      });
    }
  });
});

describe("Services", () => {
  const ports = new Map(
    ofKind<IService>("Service").map(({ metadata, spec }) => [
      metadata.name,
      (spec?.ports ?? []).map(({ name, targetPort }) => ({ name, targetPort })),
    ]),
  );

  it("separate the partners' port from the operator's, and leave the cluster in no way of their own", () => {
    expect(Object.fromEntries(ports)).toEqual({
      api: [{ name: "http", targetPort: "public" }],
      "api-operator": [{ name: "http", targetPort: "operator" }],
    });
    const named = workload("api").container.ports?.map(({ name, containerPort }) => [name, containerPort]);
    expect(named).toEqual([
      ["public", 8080],
      ["operator", 8083],
    ]);
    for (const { spec } of ofKind<IService>("Service")) expect(spec?.type ?? "ClusterIP").toBe("ClusterIP");
  });

  it("get from the example's ingress what is for partners, with TLS", () => {
    const { spec } = z
      .object({
        spec: z.looseObject({
          tls: z.array(z.object({ hosts: z.array(z.string()), secretName: z.string() })),
          rules: z.array(
            z.object({
              host: z.string(),
              http: z.object({
                paths: z.array(
                  z.object({
                    path: z.string(),
                    pathType: z.string(),
                    backend: z.object({
                      service: z.object({ name: z.string(), port: z.object({ name: z.string() }) }),
                    }),
                  }),
                ),
              }),
            }),
          ),
        }),
      })
      .parse(ingress[0]);
    const paths = spec.rules.flatMap(({ http }) => http.paths);
    expect(paths.map(({ path, pathType }) => `${pathType} ${path}`)).toEqual([
      "Prefix /api/v1",
      "Prefix /docs",
      "Exact /openapi.json",
      "Exact /openapi-3.0.json",
      "Exact /llms.txt",
      "Exact /llms-full.txt",
    ]);
    for (const { backend } of paths) expect(backend.service).toEqual({ name: "api", port: { name: "http" } });
    expect(spec.tls.flatMap(({ hosts }) => hosts)).toEqual(spec.rules.map(({ host }) => host));
  });
});

it("the example trusts the ingress controller's pods alone, by a name that is known before they serve", () => {
  const overlay = readFileSync(`${MANIFESTS}overlays/example/kustomization.yaml`, "utf8");
  const [, trusted = ""] = overlay.match(/- TRUSTED_PROXIES=(.*)/) ?? [];
  const [{ metadata, spec }] = z
    .tuple([
      z.object({
        metadata: z.object({ name: z.string(), namespace: z.string() }),
        spec: z.object({ clusterIP: z.string(), publishNotReadyAddresses: z.boolean() }),
      }),
    ])
    .parse(proxies);
  expect(trusted).toBe(`${metadata.name}.${metadata.namespace}.svc`);
  expect(spec).toEqual({ clusterIP: "None", publishNotReadyAddresses: true });
  // The namespace that the policy lets in; a range in the base would be trusted wherever an overlay sets none.
  const policy = readFileSync(`${MANIFESTS}base/network-policies.yaml`, "utf8");
  expect(policy).toContain(`kubernetes.io/metadata.name: ${metadata.namespace} }`);
  expect(configMap("api-settings")).not.toHaveProperty("TRUSTED_PROXIES");
});

it("the indexer, which has no replica, leaves a lost node within a minute", () => {
  const tolerated = new Map(
    (workload("indexer").pod.tolerations ?? []).map(({ key, tolerationSeconds }) => [key, tolerationSeconds]),
  );
  for (const key of ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"]) {
    expect({ key, seconds: tolerated.get(key) ?? Number.POSITIVE_INFINITY }).toEqual({ key, seconds: 20 });
  }
});

function contains(labels: object | undefined, wanted: object | undefined): boolean {
  const has = new Map(Object.entries(labels ?? {}));
  const pairs = Object.entries(wanted ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => has.get(key) === value);
}

/** Returns the fewest pods of a workload: of one that is scaled, the autoscaler's minimum. */
function replicasOf(name: string): number {
  const scaled = ofKind<IHorizontalPodAutoscaler>("HorizontalPodAutoscaler").find(
    ({ spec }) => spec?.scaleTargetRef.name === name,
  );
  if (scaled) return scaled.spec?.minReplicas ?? 1;
  const object = OBJECTS.find(
    ({ kind, metadata }) => ["Deployment", "Pooler"].includes(kind) && metadata.name === name,
  );
  const { spec } = z
    .object({ spec: z.looseObject({ replicas: z.number().optional(), instances: z.number().optional() }) })
    .parse(object);
  return spec.replicas ?? spec.instances ?? 0;
}
