import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { Prisma } from "../../db/generated/client.ts";
import { selectRows, whereIndexed } from "../rows.ts";
import { scopesSql } from "../scopes.ts";
import type { SearchHit } from "../titles.ts";

/** Finds API keys and users. */

const keySchema = z.object({ key_id: z.string(), name: z.string(), api_key: z.string() });

const MATCHES_MAX = 20;

async function keys({ prisma }: Pick<Deps, "prisma">, where: Prisma.Sql): Promise<SearchHit[]> {
  const rows = await selectRows(
    prisma,
    Prisma.sql`
      SELECT k.key_id::text AS key_id, k.name, k.api_key FROM app.api_key k WHERE ${where}
      ORDER BY k.created_at DESC, k.key_id DESC LIMIT ${MATCHES_MAX}`,
  );
  return rows.map((row) => {
    const { key_id: id, name, api_key } = keySchema.parse(row);
    return { kind: "key", id, chainId: null, productType: null, title: `${name}, ${api_key}` };
  });
}

/** Returns the API key with a keyId. */
export const findKey = (deps: Pick<Deps, "prisma">, keyId: string): Promise<SearchHit[]> =>
  keys(deps, Prisma.sql`k.key_id = ${keyId}::uuid`);

/** Returns the API key with a public identifier. */
export const findApiKey = (deps: Pick<Deps, "prisma">, apiKey: string): Promise<SearchHit[]> =>
  keys(deps, Prisma.sql`k.api_key = ${apiKey}`);

/** The words of a name, as the index api_key_name_idx has them. */
const WORDS = Prisma.sql`to_tsvector('simple'::regconfig, regexp_replace(k.name, '[^[:alnum:]]+', ' ', 'g'))`;

/**
 * Returns the API keys whose names have, for each word of a text, a word that begins with it. PostgreSQL divides both into words: what
 * a letter is depends on the database.
 */
export function findKeysByName(deps: Pick<Deps, "prisma">, name: string): Promise<SearchHit[]> {
  const words = Prisma.sql`nullif(btrim(regexp_replace(${name}, '[^[:alnum:]]+', ' ', 'g')), '')`;
  const query = Prisma.sql`to_tsquery('simple'::regconfig, replace(${words}, ' ', ':* & ') || ':*')`;
  return keys(deps, Prisma.sql`${WORDS} @@ ${query}`);
}

const userSchema = z.object({ chain_id: z.number(), product_type: z.string(), known: z.string() });

/** Returns a user in each product in which something is known of them. */
export async function findUsers(
  { prisma, deployments }: Pick<Deps, "prisma" | "deployments">,
  chainIds: readonly number[],
  user: Hex,
): Promise<SearchHit[]> {
  const scopes = scopesSql(deployments, chainIds);
  const own = Prisma.sql`
    SELECT d.chain_id, d.product_type, 2 AS rank, 'with a delegation' AS known FROM ${scopes}
    JOIN app.delegation d ON d.chain_id = s.chain_id AND d.product_type = s.product_type AND d.user_address = ${user}
    UNION ALL SELECT s.chain_id, s.product_type, 3, 'of the API key ' || k.name FROM app.api_key k
    JOIN app.api_key_scope s ON s.key_id = k.key_id WHERE k.user_address = ${user}`;
  const indexed = (table: string) => Prisma.sql`
    UNION ALL SELECT b.chain_id, b.product_type, 1, 'with a balance' FROM ${scopes}
    JOIN onchain.${Prisma.raw(table)} b
      ON b.chain_id = s.chain_id AND b.product_type = s.product_type AND b.user_address = ${user}`;
  const read = (found: Prisma.Sql) =>
    selectRows(
      prisma,
      Prisma.sql`
        SELECT DISTINCT ON (f.chain_id, f.product_type) f.chain_id, f.product_type, f.known
        FROM (${found}) f ORDER BY f.chain_id, f.product_type, f.rank LIMIT ${MATCHES_MAX}`,
    );
  const all = Prisma.sql`${own} ${indexed("cash_balance")} ${indexed("stock_balance")}`;
  const rows = (await whereIndexed(() => read(all), null)) ?? (await read(own));
  return rows.map((row) => {
    const { chain_id: chainId, product_type: productType, known } = userSchema.parse(row);
    return { kind: "user", id: user, chainId, productType, title: `User ${known}` };
  });
}
