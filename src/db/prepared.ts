import type pg from "pg";

const names = new Map<string, string>();

/**
 * Marks a statement that is sent often: PostgreSQL parses it once per connection, and plans it once where the plan cannot depend
 * on its arguments. Its text is constant, and names the columns it returns: a migration that adds one changes what `*` is, and
 * PostgreSQL refuses a prepared statement whose result changed.
 * @returns the text
 */
export function prepared(text: string): string {
  if (!names.has(text)) names.set(text, `prepared_${names.size}`);
  return text;
}

/** Makes the connections of a pool send marked statements under their names. */
export function namePrepared(pool: pg.Pool): void {
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const named = (statement: unknown, values: unknown, ...rest: unknown[]): unknown => {
      const name = typeof statement === "string" ? names.get(statement) : undefined;
      if (name === undefined || !Array.isArray(values)) return query(statement, values, ...rest);
      return query({ name, text: statement, values }, ...rest);
    };
    client.query = named as typeof client.query;
  });
}
