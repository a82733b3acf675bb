// The environment that a container gets, with values made up for Secrets.
import type { IEnvVar } from "kubernetes-models/v1";
import { configMap, type Workload } from "./manifests.ts";

/** Variables that a Secret is taken into whole: one for each that the deployments file names. */
const WHOLE_SECRETS: Record<string, Record<string, string>> = {
  "rpc-urls": { RPC_URL_1: "https://node.example/key" },
};

/** A key of a Secret that a workload refers to. */
export interface SecretKey {
  secret: string;
  key: string;
}

/** Returns a value as it might be in a Secret. */
function madeUp({ key }: SecretKey): string {
  if (key === "password") return "ab".repeat(24);
  if (key === "DASHBOARD_TOKENS") return "cd".repeat(32);
  return key.endsWith("_KEYS") ? `k1:${"ef".repeat(32)}` : "made-up";
}

/** Returns the keys of Secrets that variables are taken from. */
export function secretKeysOf({ container, pod }: Workload): SecretKey[] {
  const inVariables = (container.env ?? []).flatMap(({ valueFrom }) => {
    const { name, key } = valueFrom?.secretKeyRef ?? {};
    return name && key ? [{ secret: name, key }] : [];
  });
  const inVolumes = (pod.volumes ?? []).flatMap(({ secret }) =>
    (secret?.items ?? []).map(({ key }) => ({ secret: secret?.secretName ?? "", key })),
  );
  const whole = (container.envFrom ?? []).flatMap(({ secretRef }) => {
    const name = secretRef?.name ?? "";
    return Object.keys(WHOLE_SECRETS[name] ?? {}).map((key) => ({ secret: name, key }));
  });
  return [...inVariables, ...inVolumes, ...whole];
}

/**
 * Returns the variables of the container, with `$(NAME)` replaced as Kubernetes does: by a variable that stands before.
 * @throws Error where a ConfigMap, or a variable that another one names, does not exist
 */
export function environmentOf(workload: Workload): Record<string, string> {
  const sources = (workload.container.envFrom ?? []).map(({ configMapRef, secretRef }) => {
    if (configMapRef?.name) return configMap(configMapRef.name);
    const secret = WHOLE_SECRETS[secretRef?.name ?? ""];
    if (!secret) throw new Error(`no Secret ${secretRef?.name}`);
    return secret;
  });
  const env: Record<string, string> = Object.assign({}, ...sources);
  for (const variable of workload.container.env ?? []) env[variable.name] = resolveVariable(variable, env);
  return env;
}

function resolveVariable({ name, value, valueFrom }: IEnvVar, env: Record<string, string>): string {
  const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
  if (secret && key) return madeUp({ secret, key });
  if (value === undefined) throw new Error(`${name} has no value`);
  return value.replaceAll(/\$\((\w+)\)/g, (_whole, other: string) => {
    const found = env[other];
    if (found === undefined) throw new Error(`${name} names ${other}, which does not stand before it`);
    return found;
  });
}

/** Returns the files that the container's volumes bring, by path. */
export function filesOf({ container, pod }: Workload): Set<string> {
  const files = (container.volumeMounts ?? []).flatMap(({ name, mountPath, subPath }) => {
    const volume = (pod.volumes ?? []).find((candidate) => candidate.name === name);
    if (!volume) throw new Error(`no volume ${name}`);
    const map = volume.configMap?.name;
    const keys = map ? Object.keys(configMap(map)) : (volume.secret?.items ?? []).map(({ path }) => path);
    return subPath ? keys.filter((key) => key === subPath).map(() => mountPath) : under(mountPath, keys);
  });
  return new Set(files);
}

const under = (folder: string, keys: string[]): string[] => keys.map((key) => `${folder}/${key}`);
