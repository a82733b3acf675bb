import pg from "pg";
import * as schema from "../../../indexer/ponder.schema.ts";
import { type Db, insertRows, snake } from "./builders/rows.ts";
import { empty } from "./empty.ts";

/**
 * The tables of onchain.* without an indexer, for tests of what is made of their rows. They are built from the very
 * definitions that the indexer builds its own from (indexer/ponder.schema.ts), so they cannot drift apart.
 */
type Tables = typeof schema;
const definitions: Tables = { ...schema };
type TableName = keyof Tables;
export type Row<T extends TableName> = Partial<Tables[T]["$inferInsert"]>;

interface Column {
  name: string;
  getSQLType(): string;
  notNull: boolean;
}

interface IndexedBlock {
  number: bigint;
  timestamp: bigint;
}

/** Rows by table. */
export type Tabled = { [T in TableName]?: readonly Row<T>[] };

export interface Onchain {
  /** Writes rows by one statement; columns that are not given are zero, empty or null. */
  insert<T extends TableName>(table: T, ...rows: readonly Row<T>[]): Promise<void>;
  update<T extends TableName>(table: T, where: Row<T>, row: Row<T>): Promise<void>;
  clear(): Promise<void>;
  /** Sets the indexed block of a chain; `safe` is the last one that is final, by default the first one that was set. */
  setBlock(chainId: number, block: IndexedBlock, safe?: IndexedBlock): Promise<void>;
  /** Replaces rows of tables and the blocks of a chain, in one transaction as the indexer does. */
  replace(chainId: number, tables: Tabled, block: IndexedBlock, safe: IndexedBlock): Promise<void>;
}

const columnsOf = (table: TableName): [string, Column][] =>
  Object.entries(definitions[table]).filter((entry): entry is [string, Column] => isColumn(entry[1]));

const isColumn = (value: unknown): value is Column =>
  typeof value === "object" && value !== null && "getSQLType" in value && "notNull" in value;

const qualified = (table: TableName): string => `onchain.${snake(table)}`;
const TABLES = Object.keys(definitions) as TableName[];

/** Creates the schema `onchain`, empty and without a checkpoint. */
export async function createOnchain(pool: pg.Pool): Promise<Onchain> {
  const statements = TABLES.map((table) => {
    const columns = columnsOf(table).map(
      ([, column]) =>
        `${pg.escapeIdentifier(column.name)} ${column.getSQLType()}${column.notNull ? " NOT NULL" : ""}`,
    );
    return `CREATE TABLE ${qualified(table)} (${columns.join(", ")})`;
  });
  await pool.query(
    ["CREATE SCHEMA onchain", ...statements, CHECKPOINTS, META, READY]
      .map((statement) => `${statement};`)
      .join("\n"),
  );
  return {
    insert: async (table, ...rows) => {
      if (rows.length > 0) await insert(pool, table, rows);
    },
    update: (table, where, row) => update(pool, table, where, row),
    clear: async () => {
      await empty(pool, ...TABLES.map(qualified));
    },
    setBlock: (chainId, block, safe) => setBlock(pool, chainId, block, safe),
    replace: async (chainId, tables, block, safe) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        for (const [table, rows] of Object.entries(tables) as [TableName, readonly Row<TableName>[]][]) {
          await client.query(`DELETE FROM ${qualified(table)}`);
          if (rows.length > 0) await insert(client, table, rows);
        }
        await setBlock(client, chainId, block, safe);
        await client.query("COMMIT");
      } finally {
        client.release();
      }
    },
  };
}

/**
 * Adds the primary keys and indexes of the indexer's tables, and tells PostgreSQL what they hold: for tests of how rows
 * are found.
 */
export async function indexOnchain(pool: pg.Pool): Promise<void> {
  for (const table of TABLES) {
    for (const { unique, columns } of indexesOf(table)) {
      const names = columns.map((name) => pg.escapeIdentifier(name));
      await pool.query(`CREATE ${unique ? "UNIQUE " : ""}INDEX ON ${qualified(table)} (${names})`);
    }
  }
  await pool.query("VACUUM ANALYZE");
}

interface Keyed {
  columns?: { name: string }[];
  config?: { columns: { name: string }[] };
}

/** Reads indexes from the definitions: a primary key has its columns, an index has them in its configuration. */
function indexesOf(table: TableName): { unique: boolean; columns: string[] }[] {
  const definition = definitions[table];
  const build = Reflect.get(definition, Symbol.for("drizzle:ExtraConfigBuilder"));
  const made: Record<string, Keyed> = build(
    Reflect.get(definition, Symbol.for("drizzle:ExtraConfigColumns")),
  );
  return Object.values(made).map(({ columns, config }) => ({
    unique: columns !== undefined,
    columns: (columns ?? config?.columns ?? []).map(({ name }) => name),
  }));
}

const CHECKPOINTS = `CREATE TABLE onchain._ponder_checkpoint (chain_name text PRIMARY KEY, chain_id bigint NOT NULL,
  safe_checkpoint varchar(75) NOT NULL, latest_checkpoint varchar(75) NOT NULL)`;
const META = "CREATE TABLE onchain._ponder_meta (key text PRIMARY KEY, value jsonb NOT NULL)";
const READY = `INSERT INTO onchain._ponder_meta VALUES ('app', '{"is_ready": 1}')`;

async function setBlock(
  db: Db,
  chainId: number,
  block: IndexedBlock,
  safe: IndexedBlock | undefined,
): Promise<void> {
  const digits = (value: bigint | number, length: number) => String(value).padStart(length, "0");
  const checkpoint = ({ number, timestamp }: IndexedBlock) =>
    `${digits(timestamp, 10)}${digits(chainId, 16)}${digits(number, 16)}${"0".repeat(33)}`;
  await db.query(
    `INSERT INTO onchain._ponder_checkpoint AS c (chain_name, chain_id, safe_checkpoint, latest_checkpoint)
     VALUES ($1, $2, $3, $4) ON CONFLICT (chain_name) DO UPDATE
     SET latest_checkpoint = $4, safe_checkpoint = CASE WHEN $5 THEN $3 ELSE c.safe_checkpoint END`,
    [`chain${chainId}`, chainId, checkpoint(safe ?? block), checkpoint(block), safe !== undefined],
  );
}

async function insert<T extends TableName>(pool: Db, table: T, rows: readonly Row<T>[]): Promise<void> {
  const columns = columnsOf(table);
  const filled = rows.map((row) =>
    Object.fromEntries(columns.map(([key, column]) => [key, Reflect.get(row, key) ?? emptyOf(column)])),
  );
  await insertRows(pool, qualified(table), filled);
}

async function update<T extends TableName>(
  pool: pg.Pool,
  table: T,
  where: Row<T>,
  row: Row<T>,
): Promise<void> {
  const values: unknown[] = [];
  const assign = (part: Row<T>, glue: string) =>
    Object.entries(part)
      .map(([key, value]) => `${snake(key)} = $${values.push(toText(value))}`)
      .join(glue);
  await pool.query(
    `UPDATE ${qualified(table)} SET ${assign(row, ", ")} WHERE ${assign(where, " AND ")}`,
    values,
  );
}

function emptyOf(column: Column): unknown {
  if (!column.notNull) return null;
  if (column.getSQLType() === "boolean") return false;
  return column.getSQLType() === "text" ? "" : 0;
}

const toText = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);
