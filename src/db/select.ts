import { nameOn } from "./prepared.ts";
import type { Queryable } from "./query.ts";

/** A statement as PostgreSQL takes it: a Sql is one. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Runs a SELECT. Its rows come under their column names; NUMERIC and BIGINT as text, JSON parsed. */
export type Select = (statement: Statement) => Promise<Record<string, unknown>[]>;

/**
 * Returns a way to read past Prisma, for what partners poll most: for a statement of one row, Prisma's own work costs the
 * process more than sending and reading it.
 */
export function createSelect(client: Queryable): Select {
  return async (statement) => {
    const { text, values } = statement;
    const { rows } = await client.query<Record<string, unknown>>({
      name: nameOn(client, text),
      text,
      values,
    });
    return rows;
  };
}
