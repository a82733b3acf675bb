import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { operationTypeOf } from "../../../../src/claims/attribution/kind.ts";
import { type Attributed, verifyAttribution } from "../../../../src/claims/attribution/suffix.ts";
import { usedBefore } from "../../../../src/claims/ownership.ts";
import type { ProductConfig } from "../../../../src/config/deployments.ts";
import type { AttributionKey } from "../../../../src/context/deps.ts";
import { queryRows } from "../../../../src/db/query.ts";
import { join, sql } from "../../../../src/db/sql.ts";
import type { Check, Compared } from "./check.ts";
import { isInRange, type ReceiptScope } from "./history.ts";
import type { PageOf } from "./pages.ts";

const rowSchema = z.object({
  txHash: z.string(),
  fromAddress: z.string(),
  callData: z.custom<Hex>(),
  suffix: z.custom<Hex>(),
  blockNumber: z.coerce.bigint(),
});
type SuffixRow = z.output<typeof rowSchema>;

interface AttributionScope extends ReceiptScope {
  pool: pg.Pool;
  keys: readonly AttributionKey[];
}

/** Returns the comparison of a product's valid suffixes in the index with their attributions and claims. */
export function attributionCheck(scope: AttributionScope, product: ProductConfig): Check<SuffixRow> {
  const { range, chain } = scope;
  const where = [
    sql`t.chain_id = ${chain.config.chainId}::int AND t.product_type = ${product.productType}::text`,
    ...(range.from === null ? [] : [sql`t.block_number >= ${String(range.from)}::numeric`]),
    ...(range.to === null ? [] : [sql`t.block_number <= ${String(range.to)}::numeric`]),
  ];
  return {
    kind: "attribution",
    source: {
      table: "onchain.attribution_suffix",
      key: [
        ["block_number", "numeric"],
        ["transaction_index", "int"],
        ["tx_hash", "text"],
      ],
      where: join(where, " AND "),
      columns: sql`t.tx_hash, t.from_address, t.call_data, t.suffix, t.block_number::text`,
      row: rowSchema,
    },
    compare: (page) => compare(scope, product, page),
  };
}

async function compare(
  scope: AttributionScope,
  product: ProductConfig,
  page: PageOf<SuffixRow>,
): Promise<Compared> {
  const { history, chain, pool, keyId } = scope;
  const { chainId, confirmations } = chain.config;
  const final = (await history.head()).number - BigInt(confirmations);
  const finalRows = page.rows.filter(({ blockNumber }) => blockNumber <= final);
  const valid = finalRows.flatMap((row) => {
    const attributed = verify(scope, product, row);
    return attributed ? [{ row, attributed }] : [];
  });
  const missing =
    valid.length > 0 ? await readUnclaimed(pool, { chainId, product, keyId }, valid) : new Map();
  const found = page.rows.flatMap((row, index) => {
    const key = missing.get(row.txHash);
    if (key === undefined || !isInRange(scope.range, row.blockNumber)) return [];
    const subject = { kind: "attribution", productType: product.productType, object: row.txHash } as const;
    const difference = {
      field: "claim",
      ours: "none",
      chain: `a valid suffix of ${key} in block ${row.blockNumber}`,
      likelyCause:
        "no worker reads the indexed blocks of this chain, or its server keys did not have this one then, or the key was bound to another user then",
      whatToDo:
        "delete the chain's rows of app.attribution_place as the owner of the database and restart the workers: they verify every suffix again",
    };
    return [{ index, difference: { ...subject, ...difference } }];
  });
  return { rows: valid.length, unverified: 0, found };
}

/** Returns the content of a suffix, where it is valid and names the transaction's sender. */
function verify(
  { keys, chain }: AttributionScope,
  product: ProductConfig,
  row: SuffixRow,
): Attributed | null {
  const call = {
    chainId: chain.config.chainId,
    router: product.contracts.stockRouter as Hex,
    callData: row.callData,
  };
  const attributed = verifyAttribution(keys, call, row.suffix);
  return attributed && (attributed.user === null || attributed.user === row.fromAddress) ? attributed : null;
}

interface Valid {
  row: SuffixRow;
  attributed: Attributed;
}

const unclaimedSchema = z.object({ txHash: z.string(), apiKey: z.string() });

/** Returns the keys whose valid suffix lacks its attribution or its claim, by transaction. */
async function readUnclaimed(
  pool: pg.Pool,
  { chainId, product, keyId }: { chainId: number; product: ProductConfig; keyId: string | null },
  valid: readonly Valid[],
): Promise<Map<string, string>> {
  const suffixes = valid.map(({ row, attributed: { apiKey, user, nonce } }) => ({
    tx_hash: row.txHash,
    from_address: row.fromAddress,
    type: operationTypeOf(row.callData),
    api_key: apiKey,
    bound_user: user,
    nonce,
  }));
  const use = {
    chainId: sql`${chainId}::int`,
    productType: sql`${product.productType}::text`,
    txHash: sql`s.tx_hash`,
    nonce: sql`s.nonce`,
  };
  const statement = sql`
    SELECT s.tx_hash, k.api_key
    FROM json_to_recordset(${JSON.stringify(suffixes)}::json)
      AS s(tx_hash text, from_address text, type text, api_key text, bound_user text, nonce text)
    JOIN app.api_key k ON k.api_key = s.api_key
    WHERE (${keyId}::uuid IS NULL OR k.key_id = ${keyId}::uuid) AND (NOT EXISTS (
        SELECT 1 FROM app.transaction_attribution a
        WHERE a.chain_id = ${chainId}::int AND a.tx_hash = s.tx_hash AND a.key_id = k.key_id)
      OR (s.type IS NOT NULL AND s.from_address = coalesce(s.bound_user, k.user_address, s.from_address)
        AND NOT EXISTS (
          SELECT 1 FROM app.transaction_claim c
          WHERE c.chain_id = ${chainId}::int AND c.tx_hash = s.tx_hash AND c.key_id = k.key_id
            AND c.product_type = ${product.productType}::text AND c.operation_type::text = s.type)
        AND NOT ${usedBefore(use)}))`;
  const unclaimed = await queryRows(pool, statement, unclaimedSchema);
  return new Map(unclaimed.map(({ txHash, apiKey }) => [txHash, apiKey]));
}
