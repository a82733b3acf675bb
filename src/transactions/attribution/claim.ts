import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { servedBy } from "../../chain/clients.ts";
import { findCall } from "../../chain/receipts.ts";
import { splitSuffix } from "../../contracts/attribution-suffix.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { Prisma } from "../../db/generated/client.ts";
import type { Scope } from "../../db/tokens.ts";
import type { Deps } from "../../deps.ts";
import type { OperationType } from "../../protocol/enums.ts";
import { usedBefore } from "../ownership.ts";
import { operationTypeOf } from "./kind.ts";
import { type Attributed, verifyAttribution } from "./suffix.ts";

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
 * attribute, for a transaction that a node knows and the index perhaps not yet.
 * @returns null also where no node knows it, or it does not go straight to the product's router
 * @throws ApiError RPC_UNAVAILABLE, INDEXER_BEHIND
 */
export async function attributeByNode(deps: Deps, scope: Scope, txHash: Hex): Promise<string | null> {
  const { chain, product } = servedBy(deps, scope);
  const router = product.contracts.stockRouter;
  const call = await findCall(chain, txHash);
  const split = call?.to?.toLowerCase() === router ? splitSuffix(call.input) : null;
  if (!call || !split) return null;
  const { chainId, productType } = scope;
  const from = call.from.toLowerCase() as Hex;
  return attribute(deps, router, { chainId, productType, txHash, from, ...split });
}

const written = z.object({ key_id: z.string() });

/**
 * Verifies the suffix of a transaction and writes the claim that follows from it. All that it judges by is in the
 * transaction itself and in `app.*`, so a reorg can make the claim idle but never false; only whether the suffix was used
 * before is asked of the index, here to write no idle claims, and again whenever ownership is read.
 *
 * Idempotent, and safe with several workers: a key has one claim to a transaction, and one that it recorded becomes an
 * attributed one.
 * @returns the key that the transaction is attributed to, or null: no valid suffix, another sender than the one it
 * names (else than the user its key is bound to), its second use, or a call that nothing can be owned of
 */
export async function attribute(
  { pool, attributionKeys }: Pick<Deps, "pool" | "attributionKeys">,
  router: Hex,
  transaction: SuffixedTransaction,
): Promise<string | null> {
  const { chainId, callData, suffix } = transaction;
  const attributed = verifyAttribution(attributionKeys, { chainId, router, callData }, suffix);
  const operationType = operationTypeOf(callData);
  if (!attributed || !operationType) return null;
  const { text, values } = insertSql(transaction, operationType, attributed);
  const { rows } = await withDatabaseErrors<pg.QueryResult>(() => pool.query(text, values));
  return rows[0] ? written.parse(rows[0]).key_id : null;
}

function insertSql(
  { chainId, productType, txHash, from }: SuffixedTransaction,
  operationType: OperationType,
  { apiKey, user, nonce }: Attributed,
): Prisma.Sql {
  const use = {
    chainId: Prisma.sql`${chainId}::int`,
    productType: Prisma.sql`${productType}::text`,
    txHash: Prisma.sql`${txHash}::text`,
    nonce: Prisma.sql`${nonce}::text`,
  };
  return Prisma.sql`
    INSERT INTO app.transaction_claim AS c
      (key_id, chain_id, product_type, operation_type, tx_hash, source, user_address, attribution_nonce, last_seen_at)
    SELECT k.key_id, ${chainId}::int, ${productType}::text, ${operationType}::app.operation_type, ${txHash}::text,
      'attributed', ${from}::text, ${nonce}::text, now()
    FROM app.api_key k
    WHERE k.api_key = ${apiKey}::text AND ${from}::text = coalesce(${user}::text, k.user_address, ${from}::text)
      AND NOT ${usedBefore(use)}
    ON CONFLICT (key_id, chain_id, product_type, operation_type, tx_hash) DO UPDATE SET
      source = CASE c.source WHEN 'recorded' THEN 'attributed' ELSE c.source END,
      user_address = excluded.user_address,
      attribution_nonce = excluded.attribution_nonce,
      state = CASE c.state WHEN 'dropped' THEN 'pending' ELSE c.state END,
      updated_at = CASE c.source WHEN 'recorded' THEN now() ELSE c.updated_at END
    RETURNING c.key_id::text AS key_id`;
}
