import { Prisma } from "../../db/generated/client.ts";
import type { KeyRow } from "./compare.ts";

/** Writes what keys see to app.key_order and app.key_operation (docs/projection.md). */

/** The version of the shape of `data`: how presentOrder and presentOperation form it. */
export const DATA_SHAPE = 1;

interface Table {
  name: string;
  /** Names the rows of a claim. */
  key: readonly string[];
  /** The other columns, with their types. */
  columns: Readonly<Record<string, string>>;
}

const COMMON = {
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

const ORDERS: Table = {
  name: "key_order",
  key: ["claim_id", "ordinal"],
  columns: {
    ...COMMON,
    ...{ order_id: "text", on_chain_status: "text", side: "text", order_type: "text", stock_address: "text" },
    ...{ client_order_id: "text", filled_notional: "numeric" },
  },
};

const OPERATIONS: Table = {
  name: "key_operation",
  key: ["claim_id", "kind", "ordinal"],
  columns: { ...COMMON, operation_id: "text", token_address: "text" },
};

const KEY_TYPES: Readonly<Record<string, string>> = { claim_id: "uuid", kind: "text", ordinal: "int" };

/** A record of app.key_order or app.key_operation, by the names of its columns. */
type KeyRecord = Record<string, string | number | boolean | null>;

function toRecord(chainId: number, row: KeyRow): KeyRecord {
  const { columns } = row;
  const isPending = row.objectId === null;
  return {
    ...{ claim_id: row.claimId, ordinal: row.ordinal, key_id: row.keyId, chain_id: chainId },
    ...{ product_type: row.productType, tx_hash: row.txHash, source: columns.source, unreported: false },
    created_at: new Date(columns.createdMs).toISOString(),
    updated_at: new Date(columns.updatedMs).toISOString(),
    ...{ log_index: columns.logIndex, status: columns.status, user_address: columns.userAddress },
    ...{ data: isPending ? null : row.data, data_shape: DATA_SHAPE, type: row.type, event_id: row.eventId },
    ...{ row_hash: row.rowHash, block_number: row.blockNumber?.toString() ?? null },
    ...("kind" in columns
      ? { kind: columns.kind, operation_id: row.objectId, token_address: columns.tokenAddress }
      : {
          ...{ order_id: row.objectId, on_chain_status: columns.onChainStatus, side: columns.side },
          ...{ order_type: columns.orderType, stock_address: columns.stockAddress },
          ...{ client_order_id: columns.clientOrderId },
          filled_notional: columns.filledNotional?.toString() ?? null,
        }),
  };
}

/**
 * Returns WITH items that make the rows of some claims what they own, touching what differs alone; and a SELECT of key_id and product_type
 * of all that was touched.
 */
export function keyRowItems(
  chainId: number,
  { rows, claimIds }: { rows: readonly KeyRow[]; claimIds: readonly string[] },
): { items: Prisma.Sql; touched: Prisma.Sql } {
  const isOperation = ({ columns }: KeyRow) => "kind" in columns;
  const orders = rows.filter((row) => !isOperation(row)).map((row) => toRecord(chainId, row));
  const operations = rows.filter(isOperation).map((row) => toRecord(chainId, row));
  const parts = [tableItems(ORDERS, orders, claimIds), tableItems(OPERATIONS, operations, claimIds)];
  return {
    items: Prisma.join(parts, ", "),
    touched: Prisma.join(
      [ORDERS, OPERATIONS].flatMap(({ name }) =>
        ["written", "gone"].map((change) =>
          Prisma.raw(`SELECT t.key_id, t.product_type FROM ${name}_${change} t`),
        ),
      ),
      " UNION ALL ",
    ),
  };
}

function tableItems(
  { name, key, columns }: Table,
  records: readonly KeyRecord[],
  claimIds: readonly string[],
): Prisma.Sql {
  const others = Object.keys(columns);
  const all = [...key, ...others];
  const typed = all.map((column) => `${column} ${KEY_TYPES[column] ?? columns[column]}`).join(", ");
  const of = (alias: string, names: readonly string[]) =>
    names.map((column) => `${alias}.${column}`).join(", ");
  const raw = Prisma.raw;
  return Prisma.sql`
    ${raw(`${name}_now`)} AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS r (${raw(typed)})
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
