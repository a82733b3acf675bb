import type { Summary } from "../rounds.ts";
import type { Result, Section } from "./result.ts";

const COLUMNS = ["", "requests/s", "p50 ms", "p99 ms", "max ms"] as const;

export const titleOf = ({ title, connections }: Section): string =>
  connections === null ? title : `${title}, ${nameOf(connections)}`;

export const nameOf = (connections: number): string =>
  `${connections} ${connections === 1 ? "connection" : "connections"}`;

export const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(value >= 10 ? 3 : 2);

const refusedOf = ({ unavailable }: Pick<Summary, "unavailable">): string =>
  unavailable > 0 ? ` (${unavailable} × 503)` : "";

function rowsOf({ series }: Section): string[][] {
  return series.map(({ name, perSecond, p50Ms, p99Ms, maxMs, unavailable }) => [
    name + refusedOf({ unavailable }),
    ...[perSecond, p50Ms, p99Ms, maxMs].map(rounded),
  ]);
}

const ratioTexts = ({ ratios, values = [] }: Section): string[] => [
  ...ratios.map(({ name, value }) => `${name}: ${rounded(value)}`),
  ...values.map(({ name, value, unit }) => `${name}: ${rounded(value)} ${unit}`),
];

/** Formats a section for a terminal. */
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

/** Formats a table with a column per number of connections, and a row per contestant; the goals of docs/PERFORMANCE.md have ratios. */
function connectionsTable(sections: readonly [Section, ...Section[]]): string {
  const [{ title, series }] = sections;
  const head = ["", ...sections.map(({ connections }) => nameOf(connections ?? 0))];
  const ofSeries = series.map(({ name }, row) => [
    name,
    ...sections.map(({ series }) => rateOf(series[row])),
  ]);
  return [`**${title}: requests/s (p50, p99 ms)**`, "", ...table(head, ofSeries)].join("\n");
}

const rateOf = (summary: Summary | undefined): string =>
  summary
    ? `${rounded(summary.perSecond)} (${rounded(summary.p50Ms)}, ${rounded(summary.p99Ms)})${refusedOf(summary)}`
    : "";

/** Formats the scenario `detail` of a result as Markdown. docs/results/bench.json has the others. */
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
  const [first, ...others] = sections.filter(({ scenario }) => scenario === "detail");
  return first ? [about, connectionsTable([first, ...others])].join("\n\n") : about;
}
