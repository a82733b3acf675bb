import { readFileSync } from "node:fs";
import { hashOf, readReport, type SourceResult, storeResults } from "./report.ts";
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

/** The valid mutants. Left out are those that no program starts with, and the kinds that the configuration excludes. */
const COUNTED: Record<string, Exclude<keyof SourceResult, "hash">> = {
  Killed: "killed",
  Timeout: "timeout",
  Survived: "survived",
  NoCoverage: "uncovered",
};

/** Stores the results of a group. @returns its survivors without an explanation, and explanations without a survivor */
export function storeGroup(path: string): string[] {
  const { files }: StrykerReport = JSON.parse(readFileSync(path, "utf8"));
  storeResults({
    sources: Object.fromEntries(Object.entries(files).map(([file, report]) => [file, countOf(file, report)])),
  });
  return Object.entries(files).flatMap(([file, { source, mutants }]) => judge(file, source, mutants));
}

function countOf(file: string, { source, mutants }: StrykerReport["files"][string]): SourceResult {
  const result: SourceResult = {
    killed: 0,
    timeout: 0,
    survived: 0,
    uncovered: 0,
    hash: hashOf(file, source),
  };
  for (const { status } of mutants) {
    const counted = COUNTED[status];
    if (counted) result[counted]++;
  }
  return result;
}

function judge(file: string, source: string, mutants: StrykerMutant[]): string[] {
  const used = new Set<Survivor>();
  const problems: string[] = [];
  for (const { status, location, replacement } of mutants) {
    const counted = COUNTED[status];
    if (counted !== "survived" && counted !== "uncovered") continue;
    const code = textAt(source, location);
    const mutant = oneLine(replacement);
    const survivor = SURVIVORS.find(
      (each) => each.file === file && each.code === code && (each.mutants?.includes(mutant) ?? true),
    );
    if (survivor) used.add(survivor);
    else problems.push(`${counted} without a reason: ${file}:${location.start.line} ${code} → ${mutant}`);
  }
  const unused = SURVIVORS.filter((each) => each.file === file && !used.has(each));
  return [
    ...problems,
    ...unused.map(({ code }) => `survivors.ts explains what no longer survives: ${file} ${code}`),
  ];
}

/** Returns what is wrong where too few of all mutants are killed. */
export function judgeShare(): string[] {
  const { sources, mutants } = readReport();
  const counts = Object.values(sources);
  const sum = (name: Exclude<keyof SourceResult, "hash">) =>
    counts.reduce((total, result) => total + result[name], 0);
  const survivors = Object.values(mutants).filter(({ status }) => status === "survived").length;
  const killed = sum("killed") + sum("timeout") + Object.keys(mutants).length - survivors;
  const percent = (100 * killed) / (killed + survivors + sum("survived") + sum("uncovered"));
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
