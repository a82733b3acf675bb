import type { Hex } from "viem";
import { resolveScope } from "../../chain/clients.ts";
import { findCall } from "../../chain/receipts.ts";
import type { Deps } from "../../context/deps.ts";
import { splitSuffix } from "../../contracts/attribution-suffix.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import type { PrismaClient } from "../../db/generated/client.ts";
import type { ProductId } from "../../protocol/shapes.ts";
import { type SuffixedTransaction, writeAttribution, writeInvalid } from "./claim-store.ts";
import { hasOwnForm } from "./form.ts";
import { operationTypeOf } from "./kind.ts";
import { verifyAttribution } from "./suffix.ts";

/**
 * Attributes a transaction that a node knows and the index perhaps not yet.
 * @returns null also where no node knows it, or it does not go straight to the product's router
 * @throws ApiError RPC_UNAVAILABLE, INDEXER_BEHIND
 */
export async function attributeByNode(deps: Deps, scope: ProductId, txHash: Hex): Promise<string | null> {
  const { chain, product } = resolveScope(deps, scope);
  const router = product.contracts.stockRouter;
  const call = await findCall(chain, txHash);
  const split = call?.to?.toLowerCase() === router ? splitSuffix(call.input) : null;
  if (!call || !split) return null;
  const { chainId, productType } = scope;
  const from = call.from.toLowerCase() as Hex;
  return attribute(deps, router, { chainId, productType, txHash, from, ...split });
}

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
 * Verifies the suffix of a transaction, stores the key that it names, and writes the claim that follows from it; of one in our form
 * that is not valid, it stores that: until there is a verdict, no record owns what the transaction did. All that
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
  const isValid = attributed && (attributed.user === null || attributed.user === transaction.from);
  const keyId = isValid
    ? await writeAttribution(pool, transaction, operationTypeOf(callData), attributed)
    : null;
  if (keyId === null && hasOwnForm(suffix)) await writeInvalid(pool, transaction);
  return keyId;
}
