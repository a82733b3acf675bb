import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";
import type { OperationType } from "../../protocol/enums.ts";
import { usedBefore } from "../ownership.ts";
import type { Attributed } from "./suffix.ts";

/** A transaction that went straight to a product's router; addresses lower case. */
export interface SuffixedTransaction {
  chainId: number;
  productType: string;
  txHash: Hex;
  /** Its sender: on a direct call of the router, the user that it acts for. */
  from: Hex;
  /** The calldata without the suffix. */
  callData: Hex;
  suffix: Hex;
}

/**
 * Stores the key that a suffix names, and writes the claim that follows from it, in one statement.
 * @returns the key; null where there is none of that name
 */
export async function writeAttribution(
  pool: pg.Pool,
  transaction: SuffixedTransaction,
  operationType: OperationType | null,
  attributed: Attributed,
): Promise<string | null> {
  const written = await queryMaybeOne(pool, insertSql(transaction, operationType, attributed), writtenSchema);
  return written?.keyId ?? null;
}

const writtenSchema = z.object({ keyId: z.string() });

/** Stores that the suffix of a transaction is not valid. */
export async function writeInvalid(
  pool: pg.Pool,
  { chainId, txHash }: Pick<SuffixedTransaction, "chainId" | "txHash">,
): Promise<void> {
  const statement = sql`
    INSERT INTO app.invalid_attribution (chain_id, tx_hash) VALUES (${chainId}, ${txHash}) ON CONFLICT DO NOTHING`;
  await execute(pool, statement);
}

function insertSql(
  { chainId, productType, txHash, from }: SuffixedTransaction,
  operationType: OperationType | null,
  { apiKey, user, nonce }: Attributed,
): Sql {
  const use = {
    chainId: sql`${chainId}::int`,
    productType: sql`${productType}::text`,
    txHash: sql`${txHash}::text`,
    nonce: sql`${nonce}::text`,
  };
  return sql`
    WITH named AS (
      SELECT k.key_id, k.user_address FROM app.api_key k WHERE k.api_key = ${apiKey}::text
    ), stored AS (
      INSERT INTO app.transaction_attribution (chain_id, tx_hash, key_id)
      SELECT ${chainId}::int, ${txHash}::text, n.key_id FROM named n
      ON CONFLICT DO NOTHING
    ), claimed AS (
      INSERT INTO app.transaction_claim AS c
        (key_id, chain_id, product_type, operation_type, tx_hash, source, user_address, attribution_nonce, last_seen_at)
      SELECT n.key_id, ${chainId}::int, ${productType}::text, ${operationType}::app.operation_type, ${txHash}::text,
        'attributed', ${from}::text, ${nonce}::text, now()
      FROM named n
      WHERE ${operationType}::text IS NOT NULL
        AND ${from}::text = coalesce(${user}::text, n.user_address, ${from}::text)
        AND NOT ${usedBefore(use)}
      ON CONFLICT (key_id, chain_id, product_type, operation_type, tx_hash) DO UPDATE SET
        source = CASE c.source WHEN 'recorded' THEN 'attributed' ELSE c.source END,
        user_address = excluded.user_address,
        attribution_nonce = excluded.attribution_nonce,
        state = CASE c.state WHEN 'dropped' THEN 'pending' ELSE c.state END,
        updated_at = CASE c.source WHEN 'recorded' THEN now() ELSE c.updated_at END
    )
    SELECT n.key_id::text AS key_id FROM named n`;
}
