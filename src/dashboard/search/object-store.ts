import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { whereIndexed } from "../../db/errors.ts";
import { queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { scopesSql } from "../scopes.ts";
import { type SearchHit, titleOfOperation, titleOfOrder } from "../titles.ts";

/** Finds orders and operations of the index. */

type SearchDeps = Pick<Deps, "pool" | "deployments">;

const rowSchema = z.object({
  isOrder: z.boolean(),
  id: z.string(),
  chainId: z.number(),
  productType: z.string(),
  kind: z.string(),
  status: z.string(),
  side: z.string(),
  symbol: z.string().nullable(),
});

/** Look-ups of a table: one row by its primary key, or those of a transaction by their index. */
type LookUp = (alias: string, idColumn: string) => Sql;

const byId =
  (id: Hex): LookUp =>
  (alias, idColumn) =>
    sql`
    ${raw(alias)}.product_type = s.product_type AND ${raw(`${alias}.${idColumn}`)} = ${id}`;

const byTransaction =
  (txHash: Hex): LookUp =>
  (alias) =>
    sql`
    ${raw(alias)}.product_type = s.product_type AND ${raw(alias)}.tx_hash = ${txHash}`;

/** Returns the orders and operations with an id. */
export const findObjects = (deps: SearchDeps, chainIds: readonly number[], id: Hex): Promise<SearchHit[]> =>
  find(deps, chainIds, byId(id));

/** Returns the orders and operations that a transaction made, at most `MADE_MAX`. */
export const findMade = (deps: SearchDeps, chainIds: readonly number[], txHash: Hex): Promise<SearchHit[]> =>
  find(deps, chainIds, byTransaction(txHash));

/** More than a call of the router makes. */
const MADE_MAX = 20;

async function find(
  { pool, deployments }: SearchDeps,
  chainIds: readonly number[],
  lookUp: LookUp,
): Promise<SearchHit[]> {
  const scopes = scopesSql(deployments, chainIds);
  const operations = (table: string, status: string) => sql`
    SELECT false AS is_order, m.op_id AS id, m.chain_id, m.product_type, m.kind, ${raw(status)} AS status, '' AS side,
      NULL::text AS symbol, m.log_index
    FROM ${scopes} JOIN onchain.${raw(table)} m ON m.chain_id = s.chain_id AND ${lookUp("m", "op_id")}`;
  const statement = sql`
    SELECT f.is_order, f.id, f.chain_id, f.product_type, f.kind, f.status, f.side, f.symbol FROM (
      SELECT true AS is_order, o.order_id AS id, o.chain_id, o.product_type, o.order_type AS kind, o.status, o.side,
        t.symbol, o.log_index
      FROM ${scopes} JOIN onchain.stock_order o ON o.chain_id = s.chain_id AND ${lookUp("o", "order_id")}
      LEFT JOIN onchain.stock_token t
        ON t.chain_id = o.chain_id AND t.product_type = o.product_type AND t.token_address = o.stock_address
      UNION ALL ${operations("cash_operation", "m.status")}
      UNION ALL ${operations("stock_operation", "'completed'")}) f
    ORDER BY f.chain_id, f.product_type, f.log_index LIMIT ${MADE_MAX}`;
  const found = await whereIndexed(() => queryRows(pool, statement, rowSchema), []);
  return found.map(({ isOrder, id, chainId, productType, ...object }) => ({
    kind: isOrder ? "order" : "operation",
    id,
    chainId,
    productType,
    title: isOrder ? titleOfOrder({ ...object, orderType: object.kind }) : titleOfOperation(object),
  }));
}
