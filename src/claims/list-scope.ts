import type { Viewer } from "../auth/viewer.ts";
import { empty, type Sql, sql } from "../db/sql.ts";

/** Names the claims that a list covers. */
export interface ListScope {
  /** A SELECT of chain_id, product_type and key_id: all that are listed. Indexes of rows begin with these three. */
  scopes: Sql;
  /** The only one of them, where there is one. */
  single?: { chainId: number; productType: string; keyId: string };
}

/** Returns the one scope that a viewer sees, of their key or of all keys. */
export function listScopeOf({ chainId, productType, keyId }: Viewer): ListScope {
  const scope = sql`SELECT ${chainId}::int AS chain_id, ${productType}::text AS product_type`;
  const scopes = ofKeys(scope, keyId);
  return keyId === null ? { scopes } : { scopes, single: { chainId, productType, keyId } };
}

/** Searches a list of all keys key by key: an index across keys would be another one that each change writes. */
const ofKeys = (scopes: Sql, keyId: string | null): Sql =>
  keyId === null
    ? sql`SELECT p.*, a.key_id FROM (${scopes}) p CROSS JOIN app.api_key a`
    : sql`SELECT p.*, ${keyId}::uuid AS key_id FROM (${scopes}) p`;

/** Returns all scopes with claims on some chains whose rows are complete, of one product or of all. */
export function scopesOn(
  chainIds: readonly number[],
  productType: string | undefined,
  keyId: string | undefined,
): ListScope {
  const [chainId] = chainIds;
  if (chainId !== undefined && chainIds.length === 1 && productType !== undefined)
    return listScopeOf({ chainId, productType, keyId: keyId ?? null });
  const first = sql`ORDER BY chain_id, product_type LIMIT 1`;
  // Each step looks up the next scope in an index: DISTINCT would read all claims.
  const scopes = sql`
    WITH RECURSIVE known AS (
      (SELECT chain_id, product_type FROM app.transaction_claim ${first})
      UNION ALL
      SELECT n.chain_id, n.product_type FROM known k CROSS JOIN LATERAL (
        SELECT c.chain_id, c.product_type FROM app.transaction_claim c
        WHERE (c.chain_id, c.product_type) > (k.chain_id, k.product_type) ${first}) n)
    SELECT chain_id, product_type FROM known WHERE chain_id = ANY(${chainIds}::int[])
      AND chain_id IN (SELECT c.chain_id FROM app.event_chain c WHERE c.filled)
      ${productType === undefined ? empty : sql`AND product_type = ${productType}`}`;
  return { scopes: ofKeys(scopes, keyId ?? null) };
}
