import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { withDatabaseErrors } from "../../db/errors.ts";
import { Prisma } from "../../db/generated/client.ts";
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
  const { text, values } = insertSql(transaction, operationType, attributed);
  const { rows } = await withDatabaseErrors<pg.QueryResult>(() => pool.query(text, values));
  return rows[0] ? written.parse(rows[0]).key_id : null;
}

const written = z.object({ key_id: z.string() });

/** Stores that the suffix of a transaction is not valid. */
export async function writeInvalid(
  pool: pg.Pool,
  { chainId, txHash }: Pick<SuffixedTransaction, "chainId" | "txHash">,
): Promise<void> {
  const { text, values } = Prisma.sql`
    INSERT INTO app.invalid_attribution (chain_id, tx_hash) VALUES (${chainId}, ${txHash}) ON CONFLICT DO NOTHING`;
  await withDatabaseErrors<pg.QueryResult>(() => pool.query(text, values));
}

function insertSql(
  { chainId, productType, txHash, from }: SuffixedTransaction,
  operationType: OperationType | null,
  { apiKey, user, nonce }: Attributed,
): Prisma.Sql {
  const use = {
    chainId: Prisma.sql`${chainId}::int`,
    productType: Prisma.sql`${productType}::text`,
    txHash: Prisma.sql`${txHash}::text`,
    nonce: Prisma.sql`${nonce}::text`,
  };
  return Prisma.sql`
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
