import type { Hex } from "viem";
import type { Viewer } from "../auth/viewer.ts";
import { type Recordability, readRecordability } from "../claims/recordable-store.ts";
import type { Shown } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import type { Order } from "../context/schema-types.ts";
import { ApiError } from "../protocol/errors.ts";
import { findOrderByTransaction } from "./find.ts";
import type { TxHashInput } from "./input.ts";

/**
 * GET /orders/tx/{txHash}: the first order, by log order, that this key owns in the transaction.
 * @throws ApiError TRANSACTION_NOT_FOUND (this key has no claim that holds), INDEXER_BEHIND
 */
export async function getOrderByTransaction(
  deps: Deps,
  viewer: Viewer,
  { txHash }: TxHashInput,
): Promise<Shown<Order>> {
  const found = await findOrderByTransaction(deps, viewer, txHash);
  if (!found) throw await notFound(deps, viewer, txHash);
  return { ...found, data: found.data.order };
}

/** Refusals where a key owns no order of a transaction. They name POST /orders/tx only where that takes the transaction. */
const REASONS: Record<Exclude<Recordability, "unindexed">, { message: string; retryable?: boolean }> = {
  unverified: { message: "The attribution of the transaction is not verified yet" },
  recordable: { message: "The transaction is not this API key's yet: POST /orders/tx records it" },
  owned: { message: "The transaction belongs to another API key", retryable: false },
};

async function notFound({ pool }: Deps, viewer: Viewer, txHash: Hex): Promise<ApiError> {
  const { keyId, ...scope } = viewer;
  const found = keyId === null ? "unindexed" : await readRecordability(pool, { ...scope, keyId }, txHash);
  return new ApiError("TRANSACTION_NOT_FOUND", found === "unindexed" ? {} : REASONS[found]);
}
