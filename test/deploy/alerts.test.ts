import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";
import { present } from "../support/assert/until.ts";
import { findUnknown, groupingsOf, PONDER_METRICS, readCatalogue, selectorsOf } from "./metrics.ts";
import { alertsOf, PROMETHEUS, readRules, recordedBy } from "./rules.ts";

// Rules, run books and their index, held against each other and against the metrics that exist.

const RUNBOOKS = `${ROOT}docs/operations/runbooks`;
const HEADINGS = /^Confirm,Steps(,Over when)?$/;
const rules = readRules();
const alerts = alertsOf(rules);
const recorded = recordedBy(rules);
const catalogue = readCatalogue();
const index = readFileSync(`${ROOT}docs/operations/README.md`, "utf8");
const runbooks = new Map(
  readdirSync(RUNBOOKS).map((file) => [file, readFileSync(`${RUNBOOKS}/${file}`, "utf8")]),
);

const BASE = "{{ $externalLabels.runbooks }}/";
const fileOf = (url: string): string => url.replace(BASE, "");

it.each(rules.map((rule) => ["alert" in rule ? rule.alert : rule.record, rule.expr]))(
  "%s names only metrics and labels that exist",
  (_name, expression) => {
    expect(findUnknown(expression, catalogue, recorded)).toEqual([]);
  },
);

it("alerts have names of their own", () => {
  const names = alerts.map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
});

it.each(alerts.map((alert) => [alert.alert, alert] as const))(
  "%s leads to a run book that names it",
  (name, alert) => {
    const { runbook_url: url } = alert.annotations;
    expect(url.slice(0, BASE.length)).toBe(BASE);
    const file = fileOf(url);
    expect({ file, runbook: runbooks.get(file) }).toEqual({
      file,
      runbook: expect.stringContaining(`\`${name}\``),
    });
  },
);

it("the run book of error budgets has steps for each objective", () => {
  const slos = rules.flatMap((rule) =>
    "record" in rule && rule.record === "slo:budget:ratio" ? [rule.labels?.slo ?? ""] : [],
  );
  expect(slos.length).toBeGreaterThan(0);
  const steps = runbooks.get("error-budget.md")?.split("## Steps")[1];
  expect(slos.filter((slo) => !steps?.includes(`**${slo}**`))).toEqual([]);
});

it.each(alerts.map((alert) => [alert.alert, alert] as const))(
  "the index has %s with its severity and run book",
  (name, alert) => {
    const items = index.split(/\n(?=- |\n)/).filter((item) => item.startsWith("- ["));
    const row = items.find((item) => item.includes(`\`${name}\``));
    expect(row?.includes(`**\`${name}\`**`)).toBe(alert.labels.severity === "page");
    expect(row).toContain(`(runbooks/${fileOf(alert.annotations.runbook_url)})`);
  },
);

it("MemoryHigh fires below the limit of each program's container", () => {
  const expression = present(
    alerts.find(({ alert }) => alert === "MemoryHigh"),
    "the alert",
  ).expr;
  const bounds = [...expression.matchAll(/job="partner-trading-(\w+)"}\) > ([\d.e]+)/g)];
  expect(bounds.map(([, job]) => job).sort()).toEqual(["api", "deliverer", "indexer", "prober", "worker"]);
  for (const [, job, bound] of bounds) {
    const manifest = readFileSync(`${ROOT}deploy/kubernetes/base/${job}.yaml`, "utf8");
    const [, amount, unit] = /limits: { memory: (\d+)(Mi|Gi) }/.exec(manifest) ?? [];
    const limit = Number(amount) * (unit === "Gi" ? 2 ** 30 : 2 ** 20);
    expect({ job, part: Number(bound) / limit }).toEqual({ job, part: expect.closeTo(0.8, 1) });
  }
});

it("every alert fires in a test of promtool", () => {
  const tests = readdirSync(`${PROMETHEUS}/tests`).map((file) =>
    readFileSync(`${PROMETHEUS}/tests/${file}`, "utf8"),
  );
  const fires = ({ alert }: { alert: string }) =>
    tests.some((text) => new RegExp(`labels: '\\{alertname="${alert}"`).test(text));
  expect(alerts.filter((alert) => !fires(alert)).map(({ alert }) => alert)).toEqual([]);
});

describe.each([...runbooks])("the run book %s", (file, text) => {
  it("has the sections of all, and at most 60 lines", () => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.join()).toMatch(HEADINGS);
    expect(text.split("\n").length).toBeLessThanOrEqual(61);
  });

  it("names alerts that exist and lead to it, or is in the index as one without", () => {
    const named = [...(/^Alerts?: (.*)$/m.exec(text)?.[1] ?? "").matchAll(/`([A-Z]\w+)`/g)].map(
      ([, name]) => name,
    );
    const leading = alerts.filter(({ annotations }) => fileOf(annotations.runbook_url) === file);
    expect(named.sort()).toEqual(leading.map(({ alert }) => alert).sort());
    expect(index).toContain(`(runbooks/${file})`);
  });

  it("asks Prometheus only for what exists", () => {
    const asked = [...text.matchAll(/^ask '([^']+)'/gm)];
    expect(asked.flatMap(([, query = ""]) => findUnknown(query, catalogue, recorded))).toEqual([]);
  });
});

it("the example scrapes the jobs that rules name", () => {
  const { scrape_configs: jobs } = z
    .object({ scrape_configs: z.array(z.object({ job_name: z.string() })) })
    .parse(parse(readFileSync(`${PROMETHEUS}/prometheus.yml`, "utf8")));
  const scraped = jobs.map(({ job_name: name }) => name);
  const named = rules.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, name]) => name));
  expect([...new Set(named)].sort()).toEqual([...scraped].sort());
});

it("Ponder's metrics are those of the installed version", () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(`${ROOT}node_modules/ponder/package.json`, "utf8")));
  expect(readFileSync(PONDER_METRICS, "utf8")).toContain(`# Metrics of Ponder ${version}\n`);
});

describe("an expression", () => {
  it("is read for its metrics and their labels", () => {
    const expression = `sum by (a) (rate(m_total{x="b}c",y!~"d"}[5m])) > on (a) group_left 14.4 * n:o:p offset 30m and 1.5e9 < q`;
    expect(selectorsOf(expression)).toEqual([
      { name: "m_total", labels: ["x", "y"] },
      { name: "n:o:p", labels: [] },
      { name: "q", labels: [] },
    ]);
    expect(groupingsOf(expression)).toEqual(["a", "a"]);
  });

  it.each([
    ["send_queue_depht", ["no metric send_queue_depht"]],
    ['send_queue_depth{status="a"}', ["send_queue_depth has no label status"]],
    ["sum by (chain) (send_queue_depth)", ["nothing has the label chain"]],
    ["send_duration_seconds", ["no metric send_duration_seconds"]],
    ['sum by (le, job) (rate(send_duration_seconds_bucket{le="5"}[5m]))', []],
    ["nodejs_gc_duration_seconds_sum + up", []],
  ])("%s is checked", (expression, unknown) => {
    expect(findUnknown(expression, catalogue, recorded)).toEqual(unknown);
  });
});
