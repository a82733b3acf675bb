import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../../auth/caller.ts";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import { storedHex } from "../../protocol/shapes.ts";
import type { NameMacs } from "../trailer.ts";
import { bytesOf } from "./rows.ts";

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

const recreatedSchema = z.object({
  inputHash: z.string(),
  orderIds: z.array(storedHex),
  requestIds: z.array(z.string()),
});

/**
 * Returns the cancels of an Idempotency-Key that were re-created after a restore, as a batch: those of its orders whose cancel is on the
 * chain. Null where none is.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED where another call under the key was re-created
 */
export async function findRecreatedBatch(
  pool: pg.Pool,
  { keyId, chainId, productType }: BatchOwner,
  macs: NameMacs,
): Promise<CancelBatch | null> {
  // executeFor(user, cancelLimitOrder(orderId)) has the id at this place. They were written in the order of the batch.
  const statement = sql`
    SELECT r.input_hash, array_agg('0x' || encode(substr(r.call_data, 105, 32), 'hex') ORDER BY r.nonce) AS order_ids,
      array_agg(r.request_id ORDER BY r.nonce) AS request_ids
    FROM app.recreated_request m JOIN app.send_request r USING (request_id)
    WHERE m.key_id = ${keyId} AND m.chain_id = ${chainId} AND m.product_type = ${productType}
      AND m.idempotency_mac = ANY(${macs.idempotencyKey.map(bytesOf)}::bytea[])
    GROUP BY r.input_hash LIMIT 1`;
  const found = await queryMaybeOne(pool, statement, recreatedSchema);
  if (!found) return null;
  const { inputHash, ...batch } = found;
  if (!macs.inputHash.some((mac) => mac === inputHash)) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  // Orders whose cancel is not on the chain are unknown: another call takes them.
  return { ...batch, more: true };
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
