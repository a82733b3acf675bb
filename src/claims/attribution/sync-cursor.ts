import { createHash, createHmac } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { AttributionKey } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";

/**
 * How far suffixes have been looked at (`app.attribution_place`). It saves work and decides nothing: a place that is
 * lost, or that another worker has set back, only makes suffixes looked at once more.
 */

/** A transaction with a suffix, and where in the chain it is. */
export interface SyncCursor {
  block: bigint;
  /** Its index in the block. */
  index: number;
  txHash: Hex;
}

/** A product whose suffixes are looked at. */
export interface Product {
  chainId: number;
  productType: string;
  router: Hex;
  startBlock: number;
}

/** What is made of each suffix. Counted up where that changes, so that every suffix is looked at once more. */
const VERSION = 2;

/** What a place holds for: with other keys, another router or more blocks, other suffixes may be valid. */
export interface CursorScope extends Product {
  /** Of the server keys and the product's bounds; it gives no key away. */
  fingerprint: string;
}

/** The order of the keys makes no difference: one that only moves to the front finds nothing new. */
export function cursorScopeOf(keys: readonly AttributionKey[], product: Product): CursorScope {
  const prints = keys.map(({ key }) => createHmac("sha256", key).update("attribution place").digest("hex"));
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([VERSION, product.router, product.startBlock, ...prints.sort()]))
    .digest("hex");
  return { ...product, fingerprint };
}

const syncCursorSchema = z
  .object({
    block_number: z.coerce.bigint(),
    transaction_index: z.number(),
    tx_hash: z.string().transform((value) => value as Hex),
  })
  .transform(
    (row): SyncCursor => ({
      block: row.block_number,
      index: row.transaction_index,
      txHash: row.tx_hash,
    }),
  );

/** The place that any worker wrote last; null where none has. */
export async function readSyncCursor(pool: pg.Pool, scope: CursorScope): Promise<SyncCursor | null> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<Record<string, unknown>>(
      `SELECT block_number, transaction_index, tx_hash FROM app.attribution_place
       WHERE chain_id = $1 AND product_type = $2 AND ground = $3`,
      [scope.chainId, scope.productType, scope.fingerprint],
    ),
  );
  return rows[0] ? syncCursorSchema.parse(rows[0]) : null;
}

/** Everything up to the place has been looked at, and is final. */
export async function writeSyncCursor(pool: pg.Pool, scope: CursorScope, cursor: SyncCursor): Promise<void> {
  await withDatabaseErrors(() =>
    pool.query(
      `INSERT INTO app.attribution_place (chain_id, product_type, ground, block_number, transaction_index, tx_hash)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (chain_id, product_type, ground) DO UPDATE SET block_number = excluded.block_number,
         transaction_index = excluded.transaction_index, tx_hash = excluded.tx_hash, updated_at = now()`,
      [
        scope.chainId,
        scope.productType,
        scope.fingerprint,
        cursor.block.toString(),
        cursor.index,
        cursor.txHash,
      ],
    ),
  );
}
