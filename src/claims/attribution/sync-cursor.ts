import { createHash, createHmac } from "node:crypto";
import type { Hex } from "viem";
import type { AttributionKey } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import type { PrismaClient } from "../../db/generated/client.ts";
import { storedHex } from "../../protocol/shapes.ts";

/**
 * The sync cursor of suffix verification (`app.attribution_place`). It only saves work: where it is lost, or another worker has
 * moved it back, suffixes are verified again.
 */

/** A transaction with a suffix, and its position in the chain. */
export interface SyncCursor {
  block: bigint;
  /** Its index in the block. */
  index: number;
  txHash: Hex;
}

/** A product whose suffixes are verified. */
export interface Product {
  chainId: number;
  productType: string;
  router: Hex;
  startBlock: number;
}

/** Version of the verification. A higher one verifies every suffix again. */
const VERSION = 3;

/** Scope in which a cursor holds: with other keys, another router or more blocks, other suffixes may be valid. */
export interface CursorScope extends Product {
  /** Digest of the server keys and the product's bounds; it reveals no key. */
  fingerprint: string;
}

/** Returns the scope of a cursor. The order of the keys does not matter: it changes no verification. */
export function cursorScopeOf(keys: readonly AttributionKey[], product: Product): CursorScope {
  const prints = keys.map(({ key }) => createHmac("sha256", key).update("attribution place").digest("hex"));
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([VERSION, product.router, product.startBlock, ...prints.sort()]))
    .digest("hex");
  return { ...product, fingerprint };
}

const nameOf = ({ chainId, productType, fingerprint }: CursorScope) => ({
  chainId_productType_ground: { chainId, productType, ground: fingerprint },
});

/** Returns the cursor that any worker wrote last; null where none has. */
export async function readSyncCursor(prisma: PrismaClient, scope: CursorScope): Promise<SyncCursor | null> {
  const row = await withDatabaseErrors(() =>
    prisma.attributionPlace.findUnique({
      select: { blockNumber: true, transactionIndex: true, txHash: true },
      where: nameOf(scope),
    }),
  );
  if (!row) return null;
  return { block: row.blockNumber, index: row.transactionIndex, txHash: storedHex.parse(row.txHash) };
}

/** Stores that everything up to the cursor is verified, and final. */
export async function writeSyncCursor(
  prisma: PrismaClient,
  scope: CursorScope,
  { block, index, txHash }: SyncCursor,
): Promise<void> {
  const { chainId, productType, fingerprint } = scope;
  const columns = { blockNumber: block, transactionIndex: index, txHash };
  await withDatabaseErrors(() =>
    prisma.attributionPlace.upsert({
      where: nameOf(scope),
      create: { chainId, productType, ground: fingerprint, ...columns },
      update: columns,
      select: { chainId: true },
    }),
  );
}
