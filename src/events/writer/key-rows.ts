import { join, raw, type Sql, sql } from "../../db/sql.ts";
import type { KeyRow } from "./compare.ts";
import { json } from "./log-store.ts";
import type { KeyTable } from "./sources/list.ts";
import { LISTS } from "./sources/lists.ts";

/** Writes what keys see to app.key_order and app.key_operation (docs/projection.md). */

/** The version of the shape of `data`: how presentOrder and presentOperation form it. */
export const DATA_SHAPE = 1;

/** The columns of both tables, with their types. */
const COMMON: Readonly<Record<string, string>> = {
  claim_id: "uuid",
  ordinal: "int",
  key_id: "uuid",
  chain_id: "int",
  product_type: "text",
  tx_hash: "text",
  source: "text",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  log_index: "int",
  status: "text",
  user_address: "text",
  data: "text",
  data_shape: "smallint",
  type: "text",
  event_id: "uuid",
  unreported: "boolean",
  row_hash: "uuid",
  block_number: "bigint",
};

function toRecord(chainId: number, row: KeyRow, { id }: KeyTable): object {
  const { claimId, ordinal, keyId, productType, txHash, type, eventId, rowHash, blockNumber } = row;
  const { createdMs, updatedMs, ...columns } = row.columns;
  const isPending = row.objectId === null;
  return {
    claimId,
    ordinal,
    keyId,
    chainId,
    productType,
    txHash,
    type,
    eventId,
    rowHash,
    blockNumber,
    ...columns,
    [id]: row.objectId,
    unreported: false,
    createdAt: new Date(createdMs),
    updatedAt: new Date(updatedMs),
    data: isPending ? null : row.data,
    dataShape: DATA_SHAPE,
  };
}

/**
 * Returns WITH items that make the rows of some claims what they own, touching what differs alone; and a SELECT of key_id and product_type
 * of all that was touched.
 */
export function keyRowItems(
  chainId: number,
  { rows, claimIds }: { rows: readonly KeyRow[]; claimIds: readonly string[] },
): { items: Sql; touched: Sql } {
  const parts = LISTS.map(({ table, resources }) => {
    const own = rows.filter(({ resource }) => resources.includes(resource));
    return tableItems(table, json(own.map((row) => toRecord(chainId, row, table))), claimIds);
  });
  const touched = LISTS.flatMap(({ table: { name } }) =>
    ["written", "gone"].map((change) => raw(`SELECT t.key_id, t.product_type FROM ${name}_${change} t`)),
  );
  return { items: join(parts), touched: join(touched, " UNION ALL ") };
}

function tableItems({ name, id, key, columns }: KeyTable, records: string, claimIds: readonly string[]): Sql {
  const types = { ...COMMON, [id]: "text", ...columns };
  const all = Object.keys(types);
  const others = all.filter((column) => !key.includes(column));
  const typed = Object.entries(types).map((column) => column.join(" "));
  const of = (alias: string, names: readonly string[]) =>
    names.map((column) => `${alias}.${column}`).join(", ");
  return sql`
    ${raw(`${name}_now`)} AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${records}::jsonb) AS r (${raw(typed.join(", "))})
    ), ${raw(`${name}_written`)} AS (
      INSERT INTO ${raw(`app.${name} AS k (${all.join(", ")})`)}
      SELECT ${raw(of("r", all))} FROM ${raw(`${name}_now r ORDER BY ${of("r", key)}`)}
      ON CONFLICT (${raw(key.join(", "))}) DO UPDATE SET ${raw(others.map((column) => `${column} = excluded.${column}`).join(", "))}
      WHERE (${raw(of("k", others))}) IS DISTINCT FROM (${raw(of("excluded", others))})
      RETURNING k.key_id, k.product_type
    ), ${raw(`${name}_gone`)} AS (
      DELETE FROM ${raw(`app.${name} k`)} WHERE k.claim_id = ANY(${claimIds}::uuid[])
        AND NOT EXISTS (SELECT 1 FROM ${raw(`${name}_now r`)} WHERE (${raw(of("r", key))}) = (${raw(of("k", key))}))
      RETURNING k.key_id, k.product_type
    )`;
}
