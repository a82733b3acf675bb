import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { resolveScope } from "../../chain/clients.ts";
import { findCall } from "../../chain/receipts.ts";
import type { Deps } from "../../context/deps.ts";
import { splitSuffix } from "../../contracts/attribution-suffix.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { Prisma, type PrismaClient } from "../../db/generated/client.ts";
import type { Scope } from "../../product/tokens.ts";
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
  const { chain, product } = resolveScope(deps, scope);
  const router = product.contracts.stockRouter;
  const call = await findCall(chain, txHash);
  const split = call?.to?.toLowerCase() === router ? splitSuffix(call.input) : null;
  if (!call || !split) return null;
  const { chainId, productType } = scope;
  const from = call.from.toLowerCase() as Hex;
  return attribute(deps, router, { chainId, productType, txHash, from, ...split });
}

const written = z.object({ key_id: z.string() });

/** Returns the key whose valid suffix a transaction carries, where that was verified already; else null. */
export async function findAttributedKey(
  prisma: PrismaClient,
  chainId: number,
  txHash: Hex,
): Promise<string | null> {
  const attribution = await withDatabaseErrors(() =>
    prisma.transactionAttribution.findUnique({
      select: { keyId: true },
      where: { chainId_txHash: { chainId, txHash } },
    }),
  );
  return attribution?.keyId ?? null;
}

/**
 * Verifies the suffix of a transaction, stores the key that it names, and writes the claim that follows from it. All that
 * it judges by is in the transaction itself and in `app.*`, so a reorg can make the claim idle but never false; only
 * whether the suffix was used before is asked of the index, here to write no idle claims, and again whenever ownership is
 * read. No claim follows from the suffix's second use, from a sender other than the user its key is bound to, and from a
 * call that nothing can be owned of.
 *
 * Idempotent, and safe with several workers: a key has one claim to a transaction, and one that it recorded becomes an
 * attributed one.
 * @returns the key whose valid suffix the transaction carries; null where it carries none, or names another sender
 */
export async function attribute(
  { pool, attributionKeys }: Pick<Deps, "pool" | "attributionKeys">,
  router: Hex,
  transaction: SuffixedTransaction,
): Promise<string | null> {
  const { chainId, callData, suffix } = transaction;
  const attributed = verifyAttribution(attributionKeys, { chainId, router, callData }, suffix);
  if (!attributed || (attributed.user !== null && attributed.user !== transaction.from)) return null;
  const { text, values } = insertSql(transaction, operationTypeOf(callData), attributed);
  const { rows } = await withDatabaseErrors<pg.QueryResult>(() => pool.query(text, values));
  return rows[0] ? written.parse(rows[0]).key_id : null;
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
