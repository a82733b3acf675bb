import type { Style } from "../terminal.ts";
import { type Findings, RULE_IDS, RULES, type RuleId } from "./rules.ts";

export type Verdict = "kept" | "broken" | "not seen";

/** One rule of a report. */
export interface Judged {
  id: RuleId;
  title: string;
  guide: string;
  verdict: Verdict;
  evidence: readonly string[];
}

export interface Report {
  command: string;
  baseUrl: string;
  apiKey: string;
  /** Unix milliseconds. */
  startedAt: number;
  endedAt: number;
  /** True where every rule is kept. */
  isCertified: boolean;
  counts: Readonly<Record<Verdict, number>>;
  rules: readonly Judged[];
}

/** Returns the verdict on each rule. @param secrets are removed from all texts */
export function judgedRules(findings: Findings, secrets: readonly string[]): Judged[] {
  const hide = (text: string) =>
    secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "<secret>"), text);
  return RULE_IDS.map((id) => {
    const found = findings[id];
    const verdict = found === undefined ? "not seen" : found.isKept ? "kept" : "broken";
    return { id, ...RULES[id], verdict, evidence: (found?.evidence ?? []).map(hide) };
  });
}

/** Counts rules by verdict. */
export function countsOf(rules: readonly Judged[]): Record<Verdict, number> {
  const count = (wanted: Verdict) => rules.filter(({ verdict }) => verdict === wanted).length;
  return { kept: count("kept"), broken: count("broken"), "not seen": count("not seen") };
}

const STYLES: Readonly<Record<Verdict, Style>> = { kept: "green", broken: "red", "not seen": "yellow" };
const ID_WIDTH = 19;

/** Returns a report as text: a line for each rule, with its evidence below it. */
export function presentReport(
  { command, apiKey, rules, counts, isCertified }: Report,
  paint: (style: Style, text: string) => string,
): string {
  const lines = rules.flatMap(({ id, title, guide, verdict, evidence }) => [
    `${paint(STYLES[verdict], verdict.padEnd(8))}  ${id.padEnd(ID_WIDTH)} ${title}`,
    ...(verdict === "kept" ? [] : [`          ${guide}`]),
    ...evidence.map((text) => `          - ${text}`),
  ]);
  const sum = `${rules.length} rules: ${counts.kept} kept, ${counts.broken} broken, ${counts["not seen"]} not seen`;
  return [
    `Certification of: ${command} (key ${apiKey})`,
    ...lines,
    `${sum}. ${isCertified ? "Certified." : "Not certified."}`,
  ].join("\n");
}
