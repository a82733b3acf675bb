import { note, print, type Terminal } from "./terminal.ts";

/** A column of a table. */
export interface Column<T> {
  /** Heading of the column, such as "API KEY". */
  heading: string;
  value(row: T): string | number | boolean | null;
  /** Numbers are aligned to the right. */
  align?: "left" | "right";
  /** True for a column that may be cut where the line does not fit the terminal; never for identifiers. */
  shrinks?: boolean;
}

/** Shown in place of a missing value. */
const NONE = "-";
const GAP = "  ";
const SHRUNK_MIN = 8;
/** Bytes of other people's text that would move the cursor, or colour the screen, are shown as a question mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Prints rows under headings, each column as wide as its widest value. On a terminal, columns that may shrink are cut where a
 * line would not fit, but not in a pipe.
 * @param whenEmpty printed on standard error where there is no row; standard output stays empty
 */
export function printTable<T>(
  terminal: Terminal,
  rows: readonly T[],
  columns: readonly Column<T>[],
  whenEmpty: string,
): void {
  if (rows.length === 0) {
    note(terminal, whenEmpty);
    return;
  }
  const cells = rows.map((row) => columns.map(({ value }) => cellOf(value(row))));
  const natural = columns.map(({ heading }, index) =>
    Math.max(heading.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const widths = widthsOf(columns, natural, terminal);
  const headings = columns.map(({ heading }) => heading);
  for (const line of [headings, ...cells]) print(terminal, layOut(line, columns, widths));
}

/** Prints a command's result about one object: a name and a value per line. */
export function printFields(
  terminal: Terminal,
  fields: Readonly<Record<string, string | number | boolean | null>>,
): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) {
    print(terminal, `${name.padEnd(width)}${GAP}${cellOf(value)}`);
  }
}

/** Prints one JSON document: bigints as decimal strings, times in ISO 8601. */
export function printJson(terminal: Terminal, document: unknown): void {
  const replace = (_name: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
  print(terminal, JSON.stringify(document, replace, 2));
}

/** Prints a command's result: one JSON document with `--json`, else a line. */
export function printDone(
  terminal: Terminal,
  { json, document, line }: { json?: boolean | undefined; document: object; line: string },
): void {
  if (json) printJson(terminal, document);
  else print(terminal, line);
}

const cellOf = (value: string | number | boolean | null): string =>
  value === null || value === "" ? NONE : String(value).replace(CONTROL, "?");

/** Shortens the widest columns that may shrink until the line fits. */
function widthsOf<T>(
  columns: readonly Column<T>[],
  natural: readonly number[],
  { stdout }: Terminal,
): number[] {
  const widths = [...natural];
  const available = stdout.isTTY && stdout.columns ? stdout.columns : Number.POSITIVE_INFINITY;
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  while (total() > available) {
    const widest = columns.reduce<number | null>((found, { shrinks, heading }, index) => {
      const width = widths[index] ?? 0;
      if (!shrinks || width <= Math.max(SHRUNK_MIN, heading.length)) return found;
      return found === null || width > (widths[found] ?? 0) ? index : found;
    }, null);
    if (widest === null) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function layOut<T>(
  line: readonly string[],
  columns: readonly Column<T>[],
  widths: readonly number[],
): string {
  const padded = line.map((text, index) => {
    const width = widths[index] ?? 0;
    const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
    return columns[index]?.align === "right" ? cut.padStart(width) : cut.padEnd(width);
  });
  return padded.join(GAP).trimEnd();
}

/** Returns an age, or the time ahead, in at most two units, such as "3d 4h". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const units = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "m"],
    [whole % 60, "s"],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return "0s";
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(" ");
}
