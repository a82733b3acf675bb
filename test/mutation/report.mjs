// Counts what the groups and the SQL mutants came to, and writes report.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { GROUPS } from "./groups.mjs";
import { SURVIVORS } from "./survivors.mjs";

const KILLED_PERCENT_MIN = 85;
const here = (name) => new URL(name, import.meta.url);
const read = (name) => (existsSync(here(name)) ? JSON.parse(readFileSync(here(name), "utf8")) : null);

/** Writes report.md from the results that are there. @returns what keeps it from passing */
export function writeReport() {
  const mutants = [...GROUPS.flatMap(({ name }) => ofStryker(read(`results/${name}.json`))), ...ofSql()];
  const survivors = mutants.filter(({ status }) => status === "survived" || status === "no coverage");
  const explained = survivors.map((mutant) => ({
    ...mutant,
    why: mutant.why ?? explanationOf(mutant)?.why ?? null,
  }));
  const used = new Set(survivors.map(explanationOf));
  const problems = [
    ...namesNotRun().map((name) => `${name} was not run`),
    ...explained.filter(({ why }) => why === null).map((mutant) => `not explained: ${describe(mutant)}`),
    ...SURVIVORS.filter((each) => !used.has(each)).map(
      ({ file, code }) => `survivors.mjs explains what no longer survives: ${file} ${code}`,
    ),
  ];
  const percent = percentOf(countsOf(mutants));
  if (percent < KILLED_PERCENT_MIN) {
    problems.unshift(`${percent}% of the mutants are killed, ${KILLED_PERCENT_MIN}% are demanded`);
  }
  writeFileSync(here("report.md"), reportOf(mutants, explained, problems));
  return problems;
}

function namesNotRun() {
  const names = [...GROUPS.map(({ name }) => name), ...(existsSync(here("sql/run.mjs")) ? ["sql"] : [])];
  return names.filter((name) => !existsSync(here(`results/${name}.json`)));
}

/** The valid mutants of a group. Left out are those that no program starts with, and the kinds that the configuration excludes. */
function ofStryker(result) {
  return Object.entries(result?.files ?? {}).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => STATUS[status] !== undefined)
      .map(({ status, location, replacement }) => ({
        file,
        line: location.start.line,
        code: textAt(source, location),
        mutant: oneLine(replacement),
        status: STATUS[status],
      })),
  );
}

const STATUS = { Killed: "killed", Timeout: "timeout", Survived: "survived", NoCoverage: "no coverage" };

function ofSql() {
  return (read("results/sql.json") ?? []).map(({ id, file, title, status, reason }) => ({
    file: `${file} (SQL)`,
    line: null,
    code: id,
    mutant: title,
    status,
    why: reason,
  }));
}

function explanationOf({ file, code, mutant }) {
  return SURVIVORS.find(
    (each) => each.file === file && each.code === code && (each.mutants?.includes(mutant) ?? true),
  );
}

function countsOf(mutants) {
  const of = (status) => mutants.filter((mutant) => mutant.status === status).length;
  return {
    all: mutants.length,
    killed: of("killed"),
    timeout: of("timeout"),
    survived: of("survived"),
    uncovered: of("no coverage"),
  };
}

const percentOf = ({ all, killed, timeout }) =>
  all === 0 ? 0 : Math.floor((1_000 * (killed + timeout)) / all) / 10;

function reportOf(mutants, survivors, problems) {
  const files = [...new Set(mutants.map(({ file }) => file))].sort();
  const line = (title, counts) =>
    `| ${title} | ${counts.all} | ${counts.killed} | ${counts.timeout} | ${counts.survived} | ${counts.uncovered} | ${percentOf(counts)}% |`;
  const times = read("results/times.json") ?? {};
  const seconds = Object.values(times).reduce((sum, each) => sum + each, 0);
  const unexplained = survivors.filter(({ why }) => why === null);
  return `# Mutation testing

Written by \`npm run test:mutation\`; [survivors.mjs](survivors.mjs) holds the explanations.
${problems.length === 0 ? "It passes." : `**It does not pass: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}.**`}

A mutant is killed where a test fails, or where it never ends (timeout). Survived: every test that runs it passes.
No coverage: no test runs it. The percentage is of all four.

| File | Mutants | Killed | Timeout | Survived | No coverage | Killed % |
|---|---:|---:|---:|---:|---:|---:|
${files.map((file) => line(file, countsOf(mutants.filter((mutant) => mutant.file === file)))).join("\n")}
${line("**All**", countsOf(mutants))}

## Time

${Object.entries(times)
  .map(([name, each]) => `- ${name}: ${each} s`)
  .join("\n")}

${Math.round(seconds / 60)} minutes together, at two mutants at once.
${namesNotRun().length > 0 ? `\n**Not run: ${namesNotRun().join(", ")}.**\n` : ""}${unexplained.length > 0 ? `\n## Not explained\n\n${unexplained.map((each) => `- **${describe(each)}**`).join("\n")}\n` : ""}
## Survivors

${survivors
  .filter(({ why }) => why !== null)
  .map((each) => `- ${describe(each)}: ${each.why}`)
  .join("\n")}
`;
}

function describe({ file, line, code, mutant, status }) {
  const place = line === null ? file : `${file}:${line}`;
  return `${place} \`${code}\` → \`${mutant}\`${status === "no coverage" ? " (no coverage)" : ""}`;
}

function textAt(source, { start, end }) {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return oneLine(lines.join("\n"));
}

/** Short enough for a line of the report. */
function oneLine(text) {
  const whole = text.replaceAll(/\s+/g, " ").replaceAll("`", "'");
  return whole.length > 100 ? `${whole.slice(0, 97)}...` : whole;
}
