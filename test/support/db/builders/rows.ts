import pg from "pg";

/** A pool, or a connection with a transaction of the test's own. */
export type Db = Pick<pg.ClientBase, "query"> | Pick<pg.Pool, "query">;

export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Inserts rows by one statement, however many there are. PostgreSQL reads each value as its column's type. A column that
 * no row names gets the table's default.
 * @param table qualified
 * @param rows by the names of columns in camel case
 * @param clauses that follow the rows: ON CONFLICT, RETURNING
 */
export async function insertRows(
  db: Db,
  table: string,
  rows: readonly object[],
  clauses = "",
): Promise<unknown[]> {
  const named = new Set(
    rows.flatMap((row) => Object.keys(row).filter((name) => Reflect.get(row, name) !== undefined)),
  );
  const columns = [...named].map((name) => pg.escapeIdentifier(snake(name))).join(", ");
  const records = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [snake(name), toJson(value)])),
  );
  const inserted = await db.query(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1) ${clauses}`,
    [JSON.stringify(records)],
  );
  return inserted.rows;
}

function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}
