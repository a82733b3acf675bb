import type { Deployments } from "../config/deployments.ts";
import { type Sql, sql } from "../db/sql.ts";

/**
 * Returns the chains and products of this installation as a FROM item `s`: joined to a table of the index, they make an id alone a
 * look-up by its primary key.
 */
export function scopesSql({ chains }: Deployments, chainIds: readonly number[]): Sql {
  const scopes = chains
    .filter(({ chainId }) => chainIds.includes(chainId))
    .flatMap(({ chainId, products }) => products.map(({ productType }) => ({ chainId, productType })));
  const ids = scopes.map(({ chainId }) => chainId);
  const products = scopes.map(({ productType }) => productType);
  return sql`unnest(${ids}::int[], ${products}::text[]) AS s (chain_id, product_type)`;
}
