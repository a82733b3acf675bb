import type pg from "pg";

/** Each connection of the server keeps its prepared statements for good: filters come in many combinations. */
const NAMED_STATEMENTS_MAX = 500;

type NameOf = (text: string) => string;

/** Returns a name for each text of a statement, and none (the empty one) once there are too many. */
export function nameStatements(): NameOf {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= NAMED_STATEMENTS_MAX) return known ?? "";
    const name = `partner_${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** Pools whose statements have names, and their connections. */
const namings = new WeakMap<object, NameOf>();

/** Returns the name that a pool, or one of its connections, sends a statement under; the empty one where it is not prepared. */
export const nameOn = (client: object, text: string): string => namings.get(client)?.(text) ?? "";

/** Makes a pool, and its connections, send statements of query.ts and select.ts under names. */
export function namePrepared(pool: pg.Pool): void {
  const nameOf = nameStatements();
  namings.set(pool, nameOf);
  pool.on("connect", (client) => namings.set(client, nameOf));
}
