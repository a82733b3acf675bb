import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { whereIndexed } from "../../db/errors.ts";
import { queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { scopesSql } from "../scopes.ts";
import type { SearchHit } from "../titles.ts";

/** Finds API keys and users. */

const keySchema = z.object({ keyId: z.string(), name: z.string(), apiKey: z.string() });

const MATCHES_MAX = 20;

async function keys({ pool }: Pick<Deps, "pool">, where: Sql): Promise<SearchHit[]> {
  const statement = sql`
    SELECT k.key_id, k.name, k.api_key FROM app.api_key k WHERE ${where}
    ORDER BY k.created_at DESC, k.key_id DESC LIMIT ${MATCHES_MAX}`;
  const found = await queryRows(pool, statement, keySchema);
  return found.map(({ keyId: id, name, apiKey }) => ({
    kind: "key",
    id,
    chainId: null,
    productType: null,
    title: `${name}, ${apiKey}`,
  }));
}

/** Returns the API key with a keyId. */
export const findKey = (deps: Pick<Deps, "pool">, keyId: string): Promise<SearchHit[]> =>
  keys(deps, sql`k.key_id = ${keyId}::uuid`);

/** Returns the API key with a public identifier. */
export const findApiKey = (deps: Pick<Deps, "pool">, apiKey: string): Promise<SearchHit[]> =>
  keys(deps, sql`k.api_key = ${apiKey}`);

/** The words of a name, as the index api_key_name_idx has them. */
const WORDS = sql`to_tsvector('simple'::regconfig, regexp_replace(k.name, '[^[:alnum:]]+', ' ', 'g'))`;

/**
 * Returns the API keys whose names have, for each word of a text, a word that begins with it. PostgreSQL divides both into words: what
 * a letter is depends on the database.
 */
export function findKeysByName(deps: Pick<Deps, "pool">, name: string): Promise<SearchHit[]> {
  const words = sql`nullif(btrim(regexp_replace(${name}, '[^[:alnum:]]+', ' ', 'g')), '')`;
  const query = sql`to_tsquery('simple'::regconfig, replace(${words}, ' ', ':* & ') || ':*')`;
  return keys(deps, sql`${WORDS} @@ ${query}`);
}

const userSchema = z.object({ chainId: z.number(), productType: z.string(), known: z.string() });

/** Returns a user in each product in which something is known of them. */
export async function findUsers(
  { pool, deployments }: Pick<Deps, "pool" | "deployments">,
  chainIds: readonly number[],
  user: Hex,
): Promise<SearchHit[]> {
  const scopes = scopesSql(deployments, chainIds);
  const own = sql`
    SELECT d.chain_id, d.product_type, 2 AS rank, 'with a delegation' AS known FROM ${scopes}
    JOIN app.delegation d ON d.chain_id = s.chain_id AND d.product_type = s.product_type AND d.user_address = ${user}
    UNION ALL SELECT s.chain_id, s.product_type, 3, 'of the API key ' || k.name FROM app.api_key k
    JOIN app.api_key_scope s ON s.key_id = k.key_id WHERE k.user_address = ${user}`;
  const indexed = (table: string) => sql`
    UNION ALL SELECT b.chain_id, b.product_type, 1, 'with a balance' FROM ${scopes}
    JOIN onchain.${raw(table)} b
      ON b.chain_id = s.chain_id AND b.product_type = s.product_type AND b.user_address = ${user}`;
  const read = (found: Sql) =>
    queryRows(
      pool,
      sql`
        SELECT DISTINCT ON (f.chain_id, f.product_type) f.chain_id, f.product_type, f.known
        FROM (${found}) f ORDER BY f.chain_id, f.product_type, f.rank LIMIT ${MATCHES_MAX}`,
      userSchema,
    );
  const all = sql`${own} ${indexed("cash_balance")} ${indexed("stock_balance")}`;
  const users = (await whereIndexed(() => read(all), null)) ?? (await read(own));
  return users.map(({ known, ...scope }) => ({ kind: "user", id: user, ...scope, title: `User ${known}` }));
}
