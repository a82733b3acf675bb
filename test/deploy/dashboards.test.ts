import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";
import { dashboardFiles } from "../../tools/grafana.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { findUnknown, readCatalogue } from "./metrics.ts";
import { runPromtool } from "./promtool.ts";
import { readRules, recordedBy } from "./rules.ts";

// The JSON of deploy/grafana as Grafana loads it, held against the metrics that exist.

const FOLDER = `${ROOT}deploy/grafana/dashboards`;
const sourceSchema = z.strictObject({ type: z.literal("prometheus"), uid: z.literal("$datasource") });
const gridSchema = z.strictObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });
const rowSchema = z.object({ type: z.literal("row"), id: z.number(), gridPos: gridSchema });
const panelSchema = z.object({
  type: z.enum(["timeseries", "stat", "bargauge", "table"]),
  id: z.number(),
  title: z.string().min(1),
  datasource: sourceSchema,
  targets: z.array(z.object({ refId: z.string(), datasource: sourceSchema, expr: z.string() })).min(1),
  fieldConfig: z.object({
    defaults: z.object({
      unit: z.string(),
      thresholds: z
        .object({ steps: z.array(z.object({ color: z.string(), value: z.number().nullable() })) })
        .optional(),
    }),
  }),
  gridPos: gridSchema,
});
const dashboardSchema = z.object({
  uid: z.string().max(40),
  title: z.string(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
  panels: z.array(z.union([rowSchema, panelSchema])),
});

const files = new Map(
  readdirSync(FOLDER).map((file) => [file, readFileSync(`${FOLDER}/${file}`, "utf8")] as const),
);
const dashboards = [...files].map(([file, text]) => [file, dashboardSchema.parse(JSON.parse(text))] as const);
type Panel = z.output<typeof panelSchema>;
const panelsOf = ({ panels }: z.output<typeof dashboardSchema>): Panel[] =>
  panels.filter((panel): panel is Panel => panel.type !== "row");

/** Returns an expression as Prometheus gets it. */
const substitute = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "5m").replaceAll("$chain", ".*");

const catalogue = readCatalogue();
const recorded = recordedBy(readRules());

it("are what `npm run dashboards` writes", () => {
  expect([...files]).toEqual([...dashboardFiles()].sort(([a], [b]) => (a < b ? -1 : 1)));
});

it("have addresses of their own", () => {
  expect(new Set(dashboards.map(([, { uid }]) => uid)).size).toBe(dashboards.length);
});

describe.each(dashboards)("%s", (_file, dashboard) => {
  it("asks only for metrics and labels that exist", () => {
    const expressions = panelsOf(dashboard).flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const queries = dashboard.templating.list.flatMap(
      ({ query }) =>
        /^label_values\((.*)\)$/.exec(query)?.[1]?.replace(/(\w+), (\w+)/, "sum by ($2) ($1)") ?? [],
    );
    const unknown = [...expressions.map(substitute), ...queries].flatMap((expression) =>
      findUnknown(expression, catalogue, recorded).map((what) => `${what}: ${expression}`),
    );
    expect(unknown).toEqual([]);
  });

  it("uses only the variables that it has", () => {
    const names = [...JSON.stringify(dashboard.panels).matchAll(/\$(?!__)(\w+)/g)].map(([, name]) => name);
    const known = dashboard.templating.list.map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual([...known].sort());
  });

  it("has panels beside and below each other, with ascending thresholds", () => {
    const taken = new Set<string>();
    for (const { id, gridPos } of dashboard.panels) {
      const right = gridPos.x + gridPos.w;
      expect({ id, right, fits: right <= 24 }).toEqual({ id, right, fits: true });
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect({ id, x, y, isTaken: taken.has(`${x},${y}`) }).toEqual({ id, x, y, isTaken: false });
          taken.add(`${x},${y}`);
        }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { fieldConfig } of panelsOf(dashboard)) {
      const values = (fieldConfig.defaults.thresholds?.steps ?? [])
        .slice(1)
        .map(({ value }) => value ?? Number.NaN);
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
  });
});

describeWhere("promtool", "expressions of dashboards", () => {
  it("are read by Prometheus", async () => {
    const expressions = dashboards.flatMap(([, dashboard]) =>
      panelsOf(dashboard).flatMap(({ targets }) => targets.map(({ expr }) => substitute(expr))),
    );
    const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }));
    const folder = await mkdtemp(join(tmpdir(), "partner-dashboards-"));
    try {
      // YAML reads JSON.
      await writeFile(join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "panels", rules }] }));
      expect(await runPromtool(["check", "rules", "rules.yml"], folder)).toContain(
        `SUCCESS: ${expressions.length} rules found`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
