import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { describeWhere } from "../support/program/describe-where.ts";
import { MANIFESTS, WORKLOADS } from "./kubernetes/manifests.ts";
import { PROMETHEUS } from "./rules.ts";

const relabelSchema = z.strictObject({
  source_labels: z.array(z.string()),
  regex: z.string().default("(.*)"),
  action: z.enum(["keep", "replace"]).default("replace"),
  target_label: z.string().optional(),
  replacement: z.string().default("$1"),
});
const configSchema = z.looseObject({
  scrape_configs: z.tuple([z.looseObject({ job_name: z.string(), relabel_configs: z.array(relabelSchema) })]),
});
const config = configSchema.parse(parse(readFileSync(`${MANIFESTS}prometheus.yml`, "utf8")));
const [{ job_name, relabel_configs }] = config.scrape_configs;

/** Returns a target's labels after relabelling; null where it is not kept. */
function relabel(found: Record<string, string>): Record<string, string> | null {
  const labels: Record<string, string> = { job: job_name, ...found };
  for (const { source_labels, regex, action, target_label, replacement } of relabel_configs) {
    const source = source_labels.map((name) => labels[name] ?? "").join(";");
    const match = new RegExp(`^(?:${regex})$`).exec(source);
    if (action === "keep" && !match) return null;
    if (match && target_label) labels[target_label] = replacement.replace("$1", match[1] ?? "");
  }
  return labels;
}

/** Prometheus's targets: one per port of a pod, with the pod's labels under the names that its discovery gives them. */
const targets = WORKLOADS.flatMap(({ name, container, template }) => {
  const labels = Object.entries(template.metadata?.labels ?? {}).map(([key, value]) => [
    `__meta_kubernetes_pod_label_${key.replaceAll(/[^a-z]/g, "_")}`,
    value,
  ]);
  return (container.ports ?? []).map((port) => ({
    ...Object.fromEntries(labels),
    __meta_kubernetes_pod_name: `${name}-0`,
    __meta_kubernetes_pod_container_port_name: port.name ?? "",
    __address__: `10.0.0.1:${port.containerPort}`,
  }));
});

it("Prometheus finds the port of metrics of each program, under the job that the rules know", () => {
  const kept = targets.map(relabel).filter((labels) => labels !== null);
  expect(kept.map(({ job, pod, __address__ }) => [job, pod, __address__])).toEqual([
    ["partner-trading-api", "api-0", "10.0.0.1:8083"],
    ["partner-trading-worker", "worker-0", "10.0.0.1:8081"],
    ["partner-trading-deliverer", "deliverer-0", "10.0.0.1:8084"],
    ["partner-trading-indexer", "indexer-0", "10.0.0.1:8082"],
    ["partner-trading-prober", "prober-0", "10.0.0.1:8085"],
  ]);
  const rules = readdirSync(`${PROMETHEUS}/rules`).map((file) =>
    readFileSync(`${PROMETHEUS}/rules/${file}`, "utf8"),
  );
  const named = new Set(rules.flatMap((text) => [...text.matchAll(/job="([^"]+)"/g)].map(([, job]) => job)));
  expect(named.size).toBeGreaterThan(2);
  // CloudNativePG makes the backups, and nothing here checks them.
  named.delete("partner-trading-backup-check");
  expect([...named].filter((job) => !kept.some((labels) => labels.job === job))).toEqual([]);
});

describeWhere("promtool", "the configuration of Prometheus in the cluster", () => {
  // Debian builds Prometheus without the discovery of pods, and its promtool does not know the field.
  it("is accepted, but for the discovery of pods", async () => {
    const [{ kubernetes_sd_configs: discovery, ...scrape }] = config.scrape_configs;
    expect(discovery).toEqual([{ role: "pod", namespaces: { names: ["partner-trading"] } }]);
    const file = join(mkdtempSync(join(tmpdir(), "partner-prometheus-")), "prometheus.yml");
    const rule_files = [`${PROMETHEUS}/rules/*.yml`];
    writeFileSync(file, JSON.stringify({ ...config, rule_files, scrape_configs: [scrape] }));
    const { stdout } = await promisify(execFile)("promtool", ["check", "config", file]);
    rmSync(dirname(file), { recursive: true });
    expect(stdout).toContain("is valid prometheus config file");
  });

  it("names the rules", () => {
    expect(config.rule_files).toEqual(["../prometheus/rules/*.yml"]);
    expect(existsSync(join(MANIFESTS, "../prometheus/rules/api.yml"))).toBe(true);
  });
});
