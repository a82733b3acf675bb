import { readFileSync } from "node:fs";

/** A row of a table, a rule of a list or a sentence of its own, verbatim from the specification. */
export interface SpecRow {
  /** Section and key: "4.1 GET /config", "4.2 rule 3", "3.2 note 1", "7 text 1". */
  id: string;
  section: string;
  text: string;
  /** Cells of a table's row, by the column's name. */
  cells: Readonly<Record<string, string>> | null;
}

/** Sections 3, 4, 5, 7 and 8 of the specification, as test/vectors/spec.md has them. */
export const specRows: readonly SpecRow[] = parse(
  readFileSync(new URL("../../vectors/spec.md", import.meta.url), "utf8"),
);

function parse(markdown: string): SpecRow[] {
  const rows: SpecRow[] = [];
  let section = "";
  let columns: string[] | null = null;
  const counts = new Map<string, number>();
  const next = (kind: string) => {
    const key = `${section} ${kind}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return `${key} ${counts.get(key)}`;
  };
  for (const line of markdown.split("\n")) {
    const heading = /^#{2,3} (\d(?:\.\d)?)/.exec(line);
    const isTable = line.startsWith("|");
    if (!isTable) columns = null;
    if (heading?.[1]) section = heading[1];
    else if (isTable && columns === null) columns = cellsOf(line);
    else if (isTable && columns && !/^[|\s-]+$/.test(line)) rows.push(tableRow(section, columns, line));
    else if (/^\d+\. /.test(line))
      rows.push({ id: next("rule"), section, text: line.replace(/^\d+\. /, ""), cells: null });
    else if (line.startsWith("- "))
      rows.push({ id: next("note"), section, text: line.slice(2), cells: null });
    else if (!isTable && line.trim() !== "" && !/:$/.test(line)) {
      rows.push({ id: next("text"), section, text: line, cells: null });
    }
  }
  return rows;
}

function cellsOf(line: string): string[] {
  return line.replaceAll(/^\|\s*|\s*\|$/g, "").split(/\s*\|\s*/);
}

function tableRow(section: string, columns: readonly string[], line: string): SpecRow {
  const values = cellsOf(line);
  const cells = Object.fromEntries(columns.map((name, index) => [name, values[index] ?? ""]));
  const key = cells.Path
    ? `${cells.Method} ${cells.Path}`
    : [values[0], cells.Trigger].filter(Boolean).join(", ");
  return { id: `${section} ${key}`, section, text: line, cells };
}
