import type { Summary } from "../rounds.ts";
import type { Result, Section } from "./result.ts";

/** The tables of a result: lines for a terminal, Markdown for the documents. */
const COLUMNS = ["", "requests/s", "p50 ms", "p99 ms", "max ms"] as const;

export const titleOf = ({ title, connections }: Pick<Section, "title" | "connections">): string =>
  connections === null ? title : `${title}, ${nameOf(connections)}`;

export const nameOf = (connections: number): string =>
  `${connections} ${connections === 1 ? "connection" : "connections"}`;

export const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(value >= 10 ? 3 : 2);

function rowsOf({ series }: Section): string[][] {
  return series.map(({ name, perSecond, p50Ms, p99Ms, maxMs, unavailable }) => [
    unavailable > 0 ? `${name} (${unavailable} × 503)` : name,
    ...[perSecond, p50Ms, p99Ms, maxMs].map(rounded),
  ]);
}

const ratioTexts = ({ ratios, values = [] }: Section): string[] => [
  ...ratios.map(({ name, value }) => `${name}: ${rounded(value)}`),
  ...values.map(({ name, value, unit }) => `${name}: ${rounded(value)} ${unit}`),
];

/** A section for a terminal. */
export function printSection(section: Section): string {
  const rows = section.series.length > 0 ? [[...COLUMNS], ...rowsOf(section)] : [];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  return [titleOf(section), ...lines, ...ratioTexts(section)].map((line) => `  ${line}`.trimEnd()).join("\n");
}

const markdownRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (head: readonly string[], rows: readonly string[][]): string[] =>
  [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows].map(markdownRow);

const inGroups = <T>(items: readonly T[], nameOf: (item: T) => string): T[][] =>
  items.reduce<T[][]>((groups, item) => {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && nameOf(last[0]) === nameOf(item)) last.push(item);
    else groups.push([item]);
    return groups;
  }, []);

/** Sections with the same figures of the same contestants, one after another: one table has them all. */
const figuresOf = ({ scenario, series, ratios, values }: Section): string =>
  JSON.stringify([
    scenario,
    series.map(({ name }) => name),
    ratios.map(({ name }) => name),
    values?.map(({ name }) => name),
  ]);
/** Fewer are easier to read one by one. */
const GROUP_MIN = 5;

type Group = readonly [Section, ...Section[]];

function groupText(sections: Group): string {
  const isSame = (field: "title" | "connections") => new Set(sections.map((it) => it[field])).size === 1;
  if (sections.length > 1 && isSame("title")) return connectionsTable(sections);
  if (sections.length >= GROUP_MIN && isSame("connections")) return titlesTable(sections);
  return sections.map(sectionText).join("\n\n");
}

/** A column for each number of connections, a row for each contestant and ratio. */
function connectionsTable(sections: Group): string {
  const [{ title, series, ratios }] = sections;
  const head = ["", ...sections.map(({ connections }) => nameOf(connections ?? 0))];
  const ofSeries = series.map(({ name }, row) => [
    name,
    ...sections.map(({ series }) => rateOf(series[row])),
  ]);
  const ofRatios = ratios.map(({ name }, row) => [
    name,
    ...sections.map(({ ratios }) => rounded(ratios[row]?.value ?? Number.NaN)),
  ]);
  return [
    `**${title}: requests/s (p50, p99 ms), and ratios**`,
    "",
    ...table(head, [...ofSeries, ...ofRatios]),
  ].join("\n");
}

/** A row for each title, without what all begin with, and a column for each contestant and ratio. */
function titlesTable(sections: Group): string {
  const [{ title, scenario, connections, series, ratios }] = sections;
  const begin = `${title.split(", ")[0]}, `;
  const start = sections.every((section) => section.title.startsWith(begin)) ? begin.length : 0;
  const name = start > 0 ? begin.slice(0, -2) : scenario;
  const head = ["", ...series.map(({ name }) => name), ...ratios.map(({ name }) => name)];
  const rows = sections.map(({ title, series, ratios }) => [
    title.slice(start),
    ...series.map(latencyOf),
    ...ratios.map(({ value }) => rounded(value)),
  ]);
  return [`**${titleOf({ title: name, connections })}: p50, p99 ms**`, "", ...table(head, rows)].join("\n");
}

const rateOf = (summary: Summary | undefined): string =>
  summary ? `${rounded(summary.perSecond)} (${latencyOf(summary)})` : "";

const latencyOf = ({ p50Ms, p99Ms, unavailable }: Summary): string =>
  `${rounded(p50Ms)}, ${rounded(p99Ms)}${unavailable > 0 ? `, ${unavailable} × 503` : ""}`;

function sectionText(section: Section): string {
  return [
    `**${titleOf(section)}**`,
    "",
    ...(section.series.length > 0 ? [...table(COLUMNS, rowsOf(section)), ""] : []),
    ...ratioTexts(section).map((text) => `- ${text}`),
  ].join("\n");
}

/** A whole result as Markdown. */
export function toMarkdown({ takenAt, commit, machine, dataSet, options, absent, sections }: Result): string {
  const data =
    dataSet &&
    `${dataSet.orders.toLocaleString("en")} orders of ${dataSet.keys} keys (${dataSet.megabytes.toLocaleString("en")} MB) in ` +
      `PostgreSQL ${dataSet.postgres}; ${options.rounds} rounds of ${options.seconds} s.`;
  const about = [
    `Taken on ${takenAt.slice(0, 10)} at ${commit}: ${machine.cpu}, ${machine.cores} cores, Node.js ${machine.node}, ` +
      `a load of ${rounded(machine.loadBefore)} before the run.`,
    ...(data ? [data] : []),
    ...(absent.length > 0 ? [`Absent: ${absent.join(", ")}.`] : []),
  ].join(" ");
  const tables = inGroups(sections, figuresOf).flatMap((group) => {
    const [first, ...others] = group;
    return first ? [groupText([first, ...others])] : [];
  });
  return [about, ...tables].join("\n\n");
}
