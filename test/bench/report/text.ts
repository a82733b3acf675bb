import type { Result, Section } from "./result.ts";

/** The tables of a result: lines for a terminal, Markdown for the documents. */
const COLUMNS = ["", "requests/s", "p50 ms", "p99 ms", "max ms"] as const;

export const titleOf = ({ title, connections }: Section): string =>
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

const tableOf = (section: Section): string[] => [
  markdownRow(COLUMNS),
  markdownRow(COLUMNS.map((_, column) => (column === 0 ? "---" : "---:"))),
  ...rowsOf(section).map(markdownRow),
];

const inGroups = <T>(items: readonly T[], nameOf: (item: T) => string): T[][] =>
  items.reduce<T[][]>((groups, item) => {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && nameOf(last[0]) === nameOf(item)) last.push(item);
    else groups.push([item]);
    return groups;
  }, []);

/** Sections with the same figures of the same contestants, one after another: a table of them all has a row each. */
const figuresOf = ({ scenario, connections, series, ratios, values }: Section): string =>
  JSON.stringify([
    scenario,
    connections,
    series.map(({ name }) => name),
    ratios.map(({ name }) => name),
    values?.map(({ name }) => name),
  ]);
/** Fewer are easier to read one by one. */
const GROUP_MIN = 5;

/** A row for each section, with the figures of all its contestants and the ratios. */
function groupTable(sections: readonly [Section, ...Section[]]): string {
  const [{ scenario, connections, series, ratios }] = sections;
  const names = ["", ...series.flatMap(({ name }) => [`${name}: requests/s`, "p50 ms", "p99 ms"])];
  const columns = [...names, ...ratios.map(({ name }) => name)];
  const rows = sections.map((section) => [
    section.title,
    ...section.series.flatMap(({ perSecond, p50Ms, p99Ms }) => [perSecond, p50Ms, p99Ms].map(rounded)),
    ...section.ratios.map(({ value }) => rounded(value)),
  ]);
  return [
    `**${scenario}${connections === null ? "" : `, ${nameOf(connections)}`}**`,
    "",
    ...[columns, columns.map((_, column) => (column === 0 ? "---" : "---:")), ...rows].map(markdownRow),
  ].join("\n");
}

function sectionText(section: Section): string {
  return [
    `**${titleOf(section)}**`,
    "",
    ...(section.series.length > 0 ? [...tableOf(section), ""] : []),
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
    return first && group.length >= GROUP_MIN ? [groupTable([first, ...others])] : group.map(sectionText);
  });
  return [about, ...tables].join("\n\n");
}
