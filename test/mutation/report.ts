import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { compactJson } from "../support/compact-json.ts";
// @ts-expect-error: a plain script, which Stryker loads without any build.
import { GROUPS } from "./groups.mjs";
import { MUTANTS } from "./sql/mutants.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILE = join(ROOT, "docs/results/mutation.json");

/** Hash of the mutated source's code (hashOf); null where the report lacks it. */
type Hash = string | null;

/** Numbers of mutants of one source, and the survivors as `code → mutant`. `uncovered`: no test runs them. */
export interface SourceResult {
  killed: number;
  timeout: number;
  survived: string[];
  uncovered: string[];
  hash: Hash;
}

export interface MutantResult {
  status: "killed" | "survived" | "timeout";
  hash: Hash;
}

/** Last result of everything that is mutated. */
export interface Report {
  /** Stryker's, by source. */
  sources: Record<string, SourceResult>;
  /** Results of sql/mutants, by id. */
  mutants: Record<string, MutantResult>;
}

/** Sources that Stryker mutates, in the order of groups.mjs. */
export const SOURCES: readonly string[] = (GROUPS as { mutate: string[] }[]).flatMap(({ mutate }) => mutate);

export const readReport = (): Report => JSON.parse(readFileSync(FILE, "utf8"));

/** Merges results into the report. Results of what is mutated no more are removed, all others stay. */
export function storeResults({ sources = {}, mutants = {} }: Partial<Report>): void {
  const known = readReport();
  const merged: Report = {
    sources: pick(SOURCES, { ...known.sources, ...sources }),
    mutants: pick(
      MUTANTS.map(({ id }) => id),
      { ...known.mutants, ...mutants },
    ),
  };
  writeFileSync(FILE, `${compactJson(merged)}\n`);
}

function pick<T>(names: readonly string[], results: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const result = results[name];
      return result ? [[name, result]] : [];
    }),
  );
}

/** Returns a hash of a source's code: comments and the layout of TypeScript mutate nothing. */
export function hashOf(file: string, source: string): string {
  const code = file.endsWith(".ts")
    ? transformSync(source, { loader: "ts", minifyWhitespace: true }).code
    : source;
  return createHash("sha256").update(code).digest("hex").slice(0, 12);
}

/** Returns the sources and mutants that the report has, and that are mutated no more. */
export function findGone({ sources, mutants }: Report): string[] {
  const names = new Set([...SOURCES, ...MUTANTS.map(({ id }) => id)]);
  return [...Object.keys(sources), ...Object.keys(mutants)].filter((name) => !names.has(name));
}

const hashOfFile = (file: string): string | null =>
  existsSync(join(ROOT, file)) ? hashOf(file, readFileSync(join(ROOT, file), "utf8")) : null;

/** Returns lines that say how far the report is of the sources as they are, and name those that it is not of. */
export function describeStaleness(report: Report, currentHash = hashOfFile): string[] {
  const results = statesOf(report, currentHash);
  const of = (wanted: State) => results.filter(({ state }) => state === wanted);
  const counts = STATES.map((state) => `${state} ${of(state).length}`).join(", ");
  const named = NAMED.flatMap((state) => {
    const files = [...new Set(of(state).map(({ file }) => file))];
    return files.length > 0 ? [`${state}: ${files.join(", ")}`] : [];
  });
  return [`${results.length} results of mutants: ${counts}`, ...named];
}

/** Returns the sources, and the ids of mutants in sql/mutants, that the report has no result of as they are. */
export const findStale = (report: Report, currentHash = hashOfFile): string[] =>
  statesOf(report, currentHash).flatMap(({ name, state }) => (state === "current" ? [] : [name]));

function statesOf({ sources, mutants }: Report, currentHash: (file: string) => Hash) {
  return [
    ...SOURCES.map((file) => ({ name: file, file, result: sources[file] })),
    ...MUTANTS.map(({ id, file }) => ({ name: id, file, result: mutants[id] })),
  ].map(({ name, file, result }) => ({ name, file, state: stateOf(result?.hash, currentHash(file)) }));
}

const STATES = ["current", "changed since", "of an unknown version", "not run"] as const;
const NAMED = ["changed since", "not run"] as const;
type State = (typeof STATES)[number];

function stateOf(hash: Hash | undefined, current: Hash): State {
  if (hash === undefined) return "not run";
  if (hash === null) return "of an unknown version";
  return hash === current ? "current" : "changed since";
}
