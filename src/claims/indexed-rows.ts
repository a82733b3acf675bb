import { raw, type Sql, sql } from "../db/sql.ts";

// SQL of the orders and operations that claims own, for the projector. Aliases: `c` is the claim, `o` the order or operation.

/** The outcomes of claims. A row is identified by its claim and the log index of `o`. */
export interface ClaimRows {
  columns: Sql;
  /** Tables that are joined to the claims. */
  joins: Sql;
  /** Holds for the rows that a claim owns. */
  where: Sql;
  /** A SELECT of the version of its row in the index: row_hash and changed_block. */
  version: Sql;
}

/** Returns the version of the row that a table of the index has of `o`. */
export const versionOf = (table: string, id: string, block: string): Sql =>
  raw(`
    SELECT md5(b::text)::uuid AS row_hash, b.${block} AS changed_block FROM onchain.${table} b
    WHERE b.chain_id = o.chain_id AND b.product_type = o.product_type AND b.${id} = o.${id}`);

/**
 * When an order or operation last changed for its key, never before it was mapped: only then could its key see it, and who
 * asks for what is new must not miss it. Of what is not indexed, the claim's own last change; greatest passes over NULL.
 */
export const changedAt = sql`
  greatest(c.created_at, to_timestamp(o.updated_at::float8), CASE WHEN o.updated_at IS NULL THEN c.updated_at END)`;

/** A table of the index with orders or operations, and its column for the block of a row's last change. */
export interface IndexSource {
  table: "stock_order" | "cash_operation" | "stock_operation";
  block: "updated_block" | "block_number";
}

export const ORDER_SOURCE: IndexSource = { table: "stock_order", block: "updated_block" };
export const CASH_SOURCE: IndexSource = { table: "cash_operation", block: "updated_block" };
/** Stock moves at once: such an operation never changes. */
export const STOCK_SOURCE: IndexSource = { table: "stock_operation", block: "block_number" };
