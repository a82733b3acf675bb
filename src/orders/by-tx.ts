import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import type { TxHashInput } from "./input.ts";
import { presentOrder } from "./present.ts";
import { readOrderByTransaction } from "./store.ts";

/**
 * GET /orders/tx/{txHash}: the first order, by log order, that this key owns in the transaction.
 * @throws ApiError TRANSACTION_NOT_FOUND (this key has no claim that holds), INDEXER_BEHIND
 */
export async function getOrderByTransaction(
  deps: Deps,
  viewer: Viewer,
  { txHash }: TxHashInput,
): Promise<AtBlock<ReturnType<typeof presentOrder>>> {
  const { data, ...read } = await readOrderByTransaction(deps.select, viewer, txHash, {
    versioned: deps.keepsAnswers,
  });
  if (!data) throw new ApiError("TRANSACTION_NOT_FOUND");
  return { ...read, data: presentOrder(data) };
}
