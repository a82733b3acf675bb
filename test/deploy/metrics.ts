import { readFileSync } from "node:fs";
import { collectDefaultMetrics, Registry } from "prom-client";
import { ROOT } from "../../src/config/root.ts";

/** Labels that a metric may have, by its name as expressions use it. */
export type Catalogue = ReadonlyMap<string, ReadonlySet<string>>;

/** A metric in an expression, with the labels that it is asked for. */
export interface Selector {
  name: string;
  labels: string[];
}

export const PONDER_METRICS = `${ROOT}test/deploy/fixtures/ponder-metrics.md`;
const OTHER_METRICS = `${ROOT}test/deploy/fixtures/other-metrics.md`;
/** Given by Prometheus to every series that it scrapes. */
const TARGET = ["job", "instance"];
const WORDS = /^(?:by|on|without|ignoring|group_left|group_right|and|or|unless|bool|offset|inf|nan)$/i;

/** Returns what the programs and others expose, and what Prometheus adds. */
export function readCatalogue(): Catalogue {
  const pages = [`${ROOT}docs/operations/metrics.md`, PONDER_METRICS, OTHER_METRICS];
  const rows = pages.flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(
      /^(?:\| `(\w+)` \| (\w+) \|([^|]*)\||- `(\w+)` (\w+)([^(:]*)[(:])/gm,
    ),
  ]);
  const catalogue = new Map<string, ReadonlySet<string>>([
    ["up", new Set(TARGET)],
    ["ALERTS", new Set(["alertname", "alertstate", "severity"])],
  ]);
  const add = (name: string, type: string, labels: string[]) => {
    for (const suffix of type === "histogram" ? ["_bucket", "_sum", "_count"] : [""])
      catalogue.set(name + suffix, new Set([...labels, ...TARGET, ...(suffix === "_bucket" ? ["le"] : [])]));
  };
  for (const [, ...cells] of rows) {
    const [name = "", type = "", labels = ""] = cells.filter((cell) => cell !== undefined);
    add(
      name,
      type,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label),
    );
  }
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name, type } of registry.getMetricsAsArray() as unknown as { name: string; type: string }[])
    add(name, type, ["kind", "space", "type", "version", "chain"]);
  return catalogue;
}

/** Returns the metrics that an expression of PromQL names. */
export function selectorsOf(expression: string): Selector[] {
  const bare = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]/g, "")
    .replace(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, "");
  return [...bare.matchAll(/(?<![\w.$:])([a-zA-Z_:][\w:]*)\s*(\{[^}]*\}|\()?/g)].flatMap(
    ([, name = "", after = ""]) =>
      after === "(" || WORDS.test(name)
        ? []
        : [{ name, labels: [...after.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label) }],
  );
}

/** Returns the labels that an expression groups or matches by. */
export const groupingsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:by|on|group_left|group_right)\s*\(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((label) => label.trim())
      .filter(Boolean),
  );

/**
 * Returns what of an expression nothing exposes: metrics, and labels of metrics.
 * @param recorded names of recording rules, whose labels their expressions decide
 */
export function findUnknown(
  expression: string,
  catalogue: Catalogue,
  recorded: ReadonlySet<string>,
): string[] {
  const selectors = selectorsOf(expression);
  const wrong = selectors.flatMap(({ name, labels }) => {
    if (recorded.has(name)) return [];
    const known = catalogue.get(name);
    if (!known) return [`no metric ${name}`];
    return labels.filter((label) => !known.has(label)).map((label) => `${name} has no label ${label}`);
  });
  const made = [...expression.matchAll(/label_replace\(.*?"(\w+)"/gs)].map(([, label = ""]) => label);
  const labels = new Set([...made, ...selectors.flatMap(({ name }) => [...(catalogue.get(name) ?? [])])]);
  const anyLabel = selectors.some(({ name }) => recorded.has(name));
  const groupings = anyLabel ? [] : groupingsOf(expression).filter((label) => !labels.has(label));
  return [...wrong, ...groupings.map((label) => `nothing has the label ${label}`)];
}
