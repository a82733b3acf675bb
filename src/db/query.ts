import type pg from "pg";
import { withDatabaseErrors } from "./errors.ts";
import { nameOn } from "./pool.ts";

/** A statement as PostgreSQL takes it: what `sql` returns (sql.ts). */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
  /** See markVersioned (replica-source.ts). */
  readonly isVersioned?: true;
}

/** Runs statements: a pool, or the connection of a transaction. */
export type Queryable = pg.Pool | pg.ClientBase;

/** Makes a value of a row: a zod schema. Names of columns are in camelCase; BIGINT and NUMERIC are text, JSON is parsed. */
export interface RowParser<T> {
  parse(row: unknown): T;
}

/**
 * Runs a statement and returns its rows. Where the pool may prepare statements, PostgreSQL parses it once per connection, so it
 * names its columns: a migration that adds one changes what `*` is, and PostgreSQL refuses a prepared statement whose result changed.
 * @throws ApiError DATABASE_UNAVAILABLE, INDEXER_BEHIND (see errors.ts); what `pg` throws otherwise, such as a violated constraint
 */
export async function queryRows<T>(
  client: Queryable,
  statement: Statement,
  parser: RowParser<T>,
): Promise<T[]> {
  return (await readRows(client, statement)).map((row) => parser.parse(row));
}

/** Runs a statement and returns its first row, or null where it has none. @throws as queryRows */
export async function queryMaybeOne<T>(
  client: Queryable,
  statement: Statement,
  parser: RowParser<T>,
): Promise<T | null> {
  const [row] = await queryRows(client, statement, parser);
  return row ?? null;
}

/** Runs a statement that has a row in every case, such as a count, and returns it. @throws as queryRows */
export async function queryOne<T>(client: Queryable, statement: Statement, parser: RowParser<T>): Promise<T> {
  const [row] = await queryRows(client, statement, parser);
  if (row === undefined) throw new Error("a statement returned no row");
  return row;
}

/** Result of a statement that joins rows to one head, such as the block they were read at. */
export interface Joined<Head, T> {
  /** Null where the statement has no row. */
  head: Head | null;
  rows: T[];
}

/**
 * Runs a statement that joins rows to one head with LEFT JOIN, so that both are of one snapshot.
 * @param id the name of a column that is NULL where no row was joined, and else never
 * @throws as queryRows
 */
export async function queryJoined<Head, T>(
  client: Queryable,
  statement: Statement,
  { head, row, id }: { head: RowParser<Head>; row: RowParser<T>; id: string },
): Promise<Joined<Head, T>> {
  const found = await readRows(client, statement);
  const [first] = found;
  const joined = found.filter((one) => one[id] !== null);
  return { head: first ? head.parse(first) : null, rows: joined.map((one) => row.parse(one)) };
}

/** Runs a statement. @returns how many rows it wrote, or read. @throws as queryRows */
export async function execute(client: Queryable, statement: Statement): Promise<number> {
  return (await run(client, statement)).rowCount ?? 0;
}

type Row = Record<string, unknown>;

function run(client: Queryable, { text, values, isVersioned }: Statement): Promise<pg.QueryResult<Row>> {
  const config = { name: nameOn(client, text), text, values, isVersioned };
  return withDatabaseErrors(() => client.query<Row>(config));
}

const readRows = async (client: Queryable, statement: Statement): Promise<Row[]> =>
  (await run(client, statement)).rows.map(withCamelCase);

const camelCased = new Map<string, string>();

function withCamelCase(row: Row): Row {
  const renamed: Row = {};
  for (const column in row) renamed[toCamelCase(column)] = row[column];
  return renamed;
}

/** Returns the name of a column as rows have it. There are as many as statements of the code name. */
function toCamelCase(column: string): string {
  const known = camelCased.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  camelCased.set(column, name);
  return name;
}
