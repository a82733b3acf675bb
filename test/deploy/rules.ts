import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";

export const PROMETHEUS = `${ROOT}deploy/prometheus`;

const ruleSchema = z.union([
  z.strictObject({
    alert: z.string(),
    expr: z.string(),
    for: z.string().optional(),
    labels: z.strictObject({ severity: z.enum(["page", "ticket", "none"]) }),
    annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
  }),
  z.strictObject({
    record: z.string(),
    expr: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
]);
const fileSchema = z.object({ groups: z.array(z.object({ name: z.string(), rules: z.array(ruleSchema) })) });

export type Rule = z.output<typeof ruleSchema>;
export type Alert = Extract<Rule, { alert: string }>;

/** Returns the rules of deploy/prometheus/rules. @throws where one is no rule, or an alert lacks what alerts must have */
export function readRules(): Rule[] {
  return readdirSync(`${PROMETHEUS}/rules`).flatMap((file) =>
    fileSchema
      .parse(parse(readFileSync(`${PROMETHEUS}/rules/${file}`, "utf8")))
      .groups.flatMap(({ rules }) => rules),
  );
}

export const alertsOf = (rules: readonly Rule[]): Alert[] => rules.filter((rule) => "alert" in rule);

/** Returns the names of series that rules record. */
export const recordedBy = (rules: readonly Rule[]): Set<string> =>
  new Set(rules.flatMap((rule) => ("record" in rule ? [rule.record] : [])));
