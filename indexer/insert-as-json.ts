// Inserts what Ponder fetched from a chain (blocks, transactions, logs) as one parameter for each statement. Ponder's own
// statements have a parameter for each value, 16,000 of them: to write and to plan these takes a fifth of a backfill.
import { sql } from "ponder";

/** Describes the part of Ponder's database that is used. */
interface Inserting<Table, Insert> {
  insert(table: Table): { select(rows: unknown): Insert };
}
type Row = Readonly<Record<string, unknown>>;

/** Returns what `db.insert(table)` returns, with `values` alone. @param columns of the table, as the rows name them */
export function insertAsJson<Table, Insert>(
  db: Inserting<Table, Insert>,
  table: Table,
  columns: readonly string[],
) {
  const names = columns.map(columnName);
  const list = sql.raw(names.map((name) => `"${name}"`).join(", "));
  return {
    values: (rows: readonly Row[]): Insert =>
      db
        .insert(table)
        .select(
          sql`select ${list} from json_populate_recordset(null::${table}, ${jsonRows(rows, columns)}::json)`,
        ),
  };
}

/** Returns rows as an array of objects, by the names that the columns have in the database. */
export function jsonRows(rows: readonly Row[], columns: readonly string[]): string {
  const names = columns.map(columnName);
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [names[index], printed(row[column])])),
    ),
  );
}

const columnName = (column: string): string =>
  column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a bigint as text: as a number of JSON it would lose digits in other programs, and `JSON.stringify` refuses it. */
const printed = (value: unknown): unknown => (typeof value === "bigint" ? `${value}` : value);
