import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../../auth/caller.ts";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { storedHex } from "../../protocol/shapes.ts";

const batchSchema = z.object({
  inputHash: z.string(),
  orderIds: z.array(storedHex),
  requestIds: z.array(z.string()),
  more: z.boolean(),
});

/** Orders of a call to cancel many (app.cancel_batch). */
export interface CancelBatch {
  /** Newest first. */
  orderIds: readonly Hex[];
  /** Ids of the orders' requests, in the same order. A repeat may write one that was refused at first. */
  requestIds: readonly string[];
  /** True where the call found more orders than it takes. */
  more: boolean;
}

type BatchOwner = Pick<Caller, "keyId" | "chainId" | "productType">;

/** Returns the batch of an Idempotency-Key with the hash of its input; null where the key has none. */
export function findBatch(
  pool: pg.Pool,
  { keyId, chainId, productType }: BatchOwner,
  idempotencyKey: string,
): Promise<z.output<typeof batchSchema> | null> {
  const statement = sql`
    SELECT input_hash, order_ids, request_ids, more FROM app.cancel_batch
    WHERE key_id = ${keyId} AND chain_id = ${chainId} AND product_type = ${productType}
      AND idempotency_key = ${idempotencyKey}`;
  return queryMaybeOne(pool, statement, batchSchema);
}

/**
 * Inserts the batch of an Idempotency-Key, in the transaction that writes its requests.
 * @returns false where the key has one
 */
export async function insertBatch(
  tx: Tx,
  { keyId, chainId, productType }: BatchOwner,
  { idempotencyKey, inputHash }: { idempotencyKey: string; inputHash: string },
  { orderIds, requestIds, more }: CancelBatch,
): Promise<boolean> {
  const statement = sql`
    INSERT INTO app.cancel_batch (key_id, chain_id, product_type, idempotency_key, input_hash, order_ids, request_ids, more)
    VALUES (${keyId}, ${chainId}, ${productType}, ${idempotencyKey}, ${inputHash}, ${orderIds}, ${requestIds}, ${more})
    ON CONFLICT DO NOTHING`;
  return (await execute(tx, statement)) > 0;
}
