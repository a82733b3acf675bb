import { readFileSync } from "node:fs";
import { hashOf, type Report, type SourceResult, storeResults } from "./report.ts";
import { MUTANTS } from "./sql/mutants.ts";
import { SURVIVORS, type Survivor } from "./survivors.ts";

const KILLED_PERCENT_MIN = 90;

interface Position {
  line: number;
  column: number;
}

interface StrykerMutant {
  status: string;
  location: { start: Position; end: Position };
  replacement: string;
}

/** Stryker's own report of a group. */
interface StrykerReport {
  files: Record<string, { source: string; mutants: StrykerMutant[] }>;
}

/** Stores the results of a group. Left out are mutants that no program starts with, and kinds that the configuration excludes. */
export function storeGroup(path: string): void {
  const { files }: StrykerReport = JSON.parse(readFileSync(path, "utf8"));
  storeResults({
    sources: Object.fromEntries(
      Object.entries(files).map(([file, report]) => [file, resultOf(file, report)]),
    ),
  });
}

function resultOf(file: string, { source, mutants }: StrykerReport["files"][string]): SourceResult {
  const of = (wanted: string) => mutants.filter(({ status }) => status === wanted);
  const textsOf = (wanted: string) =>
    of(wanted).map(({ location, replacement }) => nameOf(textAt(source, location), oneLine(replacement)));
  return {
    killed: of("Killed").length,
    timeout: of("Timeout").length,
    survived: textsOf("Survived"),
    uncovered: textsOf("NoCoverage"),
    hash: hashOf(file, source),
  };
}

const nameOf = (code: string, mutant: string) => `${code} → ${mutant}`;

/** Returns survivors without a reason, reasons without a survivor, and the share of killed mutants where it is too low. */
export function judgeReport(report: Report): string[] {
  const ofSources = Object.entries(report.sources).flatMap(([file, result]) => judgeSource(file, result));
  const ofStatements = MUTANTS.flatMap(({ id, survives }) => {
    const isAlive = report.mutants[id]?.status === "survived";
    if (isAlive === (survives !== undefined)) return [];
    return [`${id} ${isAlive ? "survived without a reason" : "has a reason to survive, and does not"}`];
  });
  return [...ofSources, ...ofStatements, ...judgeShare(report)];
}

function judgeSource(file: string, { survived, uncovered }: SourceResult): string[] {
  const reasons = SURVIVORS.filter((each) => each.file === file);
  const used = new Set<Survivor>();
  const unexplained = [...survived, ...uncovered].filter((name) => {
    const reason = reasons.find((each) => explains(each, name));
    if (reason) used.add(reason);
    return !reason;
  });
  return [
    ...unexplained.map((name) => `survived without a reason: ${file} ${name}`),
    ...reasons
      .filter((reason) => !used.has(reason))
      .map(({ code }) => `survivors.ts explains what does not survive: ${file} ${code}`),
  ];
}

const explains = ({ code, mutants }: Survivor, name: string) =>
  mutants ? mutants.some((mutant) => name === nameOf(code, mutant)) : name.startsWith(nameOf(code, ""));

function judgeShare({ sources, mutants }: Report): string[] {
  const results = Object.values(sources);
  const statements = Object.values(mutants);
  const alive =
    results.reduce((sum, { survived, uncovered }) => sum + survived.length + uncovered.length, 0) +
    statements.filter(({ status }) => status === "survived").length;
  const found = results.reduce((sum, { killed, timeout }) => sum + killed + timeout, 0);
  const all = found + alive + statements.filter(({ status }) => status !== "survived").length;
  const percent = (100 * (all - alive)) / all;
  if (percent >= KILLED_PERCENT_MIN) return [];
  return [`${percent.toFixed(1)}% of the mutants are killed, ${KILLED_PERCENT_MIN}% are demanded`];
}

function textAt(source: string, { start, end }: StrykerMutant["location"]): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  lines.push((lines.pop() ?? "").slice(0, end.column - 1));
  return oneLine([(lines.shift() ?? "").slice(start.column - 1), ...lines].join("\n"));
}

/** Shortens code as survivors.ts has it. */
function oneLine(text: string): string {
  const whole = text.replaceAll(/\s+/g, " ").replaceAll("`", "'");
  return whole.length > 100 ? `${whole.slice(0, 97)}...` : whole;
}
