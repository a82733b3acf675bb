import type pg from "pg";
import { z } from "zod";
import { INDEX_IS_READY, type IndexedBlock, parseCheckpoint } from "../../../../src/db/checkpoint.ts";
import {
  execute,
  type Queryable,
  queryMaybeOne,
  queryRows,
  type RowParser,
} from "../../../../src/db/query.ts";
import { empty, join, raw, type Sql, sql } from "../../../../src/db/sql.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { TryAgain } from "./try-again.ts";

// Pages of rows. Each is one short transaction, because a snapshot held for a whole comparison would keep VACUUM from removing
// anything meanwhile.

/** Number of rows compared together. */
export const PAGE = 200;

/** Rows of one table, under the alias `t`, read in the order of a unique key. */
export interface Source<Row> {
  table: string;
  /** Columns of the key, each with its type; an index should begin with the columns that `where` fixes and continue with them. */
  key: readonly (readonly [column: string, type: string])[];
  where: Sql;
  columns: Sql;
  /** Checks only what a comparison needs: an invalid value is reported like any other difference. */
  row: RowParser<Row>;
  /** Tables joined to each row of a page. */
  joins?: Sql;
}

/** Values of a key's columns, as text. */
export type Key = readonly string[];

/** Part of the rows: behind a key, or those of some keys. */
export type Part = { after: Key | null } | { only: readonly Key[] };

/** Rows of one snapshot, with the indexed block of that snapshot. */
export interface PageOf<Row> {
  indexed: IndexedBlock;
  rows: (Row & { pageKey: Key })[];
}

const keySchema = z.object({ pageKey: z.array(z.string()) });

/**
 * Reads a part of the rows, at most PAGE.
 * @throws TryAgain where the index has no block now
 */
export function readPage<Row>(
  pool: pg.Pool,
  chainId: number,
  source: Source<Row>,
  part: Part,
): Promise<PageOf<Row>> {
  const parse = (row: unknown) => ({ ...source.row.parse(row), ...keySchema.parse(row) });
  return inTransaction(pool, async (tx) => {
    await execute(tx, sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    const indexed = await readIndexedBlock(tx, chainId);
    return { indexed, rows: await queryRows(tx, pageSql(source, part), { parse }) };
  });
}

const checkpointSchema = z.object({ latestCheckpoint: z.string() });

/** Returns the indexed block of a chain. @throws TryAgain where there is none now */
export async function readIndexedBlock(db: Queryable, chainId: number): Promise<IndexedBlock> {
  const row = await queryMaybeOne(
    db,
    sql`
      SELECT latest_checkpoint FROM onchain._ponder_checkpoint
      WHERE chain_id = ${chainId} AND ${raw(INDEX_IS_READY)}`,
    checkpointSchema,
  );
  if (!row) throw new TryAgain(`the index of chain ${chainId} is not ready`);
  return parseCheckpoint(row.latestCheckpoint);
}

/** Selects a page before it joins anything, so that the cost of a statement does not grow with the table. */
function pageSql({ table, key, where, columns, joins = empty }: Source<unknown>, part: Part): Sql {
  const names = raw(key.map(([column]) => `t.${column}`).join(", "));
  const texts = raw(key.map(([column]) => `t.${column}::text`).join(", "));
  const limit = "only" in part ? empty : sql`LIMIT ${PAGE}`;
  return sql`
    SELECT ARRAY[${texts}] AS page_key, ${columns}
    FROM (
      SELECT t.* FROM ${raw(table)} t
      WHERE ${where} ${partSql(key, names, part)} ORDER BY ${names} ${limit}) t
    ${joins}
    ORDER BY ${names}`;
}

function partSql(key: Source<unknown>["key"], names: Sql, part: Part): Sql {
  const record = (values: Key) =>
    sql`(${join(values.map((value, index) => sql`${value}::${raw(key[index]?.[1] ?? "text")}`))})`;
  if ("only" in part) return sql`AND (${names}) IN (${join(part.only.map(record))})`;
  return part.after === null ? empty : sql`AND (${names}) > ${record(part.after)}`;
}
