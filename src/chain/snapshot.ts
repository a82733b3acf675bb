import { setTimeout as pause } from "node:timers/promises";
import type { AtBlock, IndexedBlock } from "../db/checkpoint.ts";
import { ApiError } from "../protocol/errors.ts";

const ATTEMPTS = 3;
/** A rolled-back indexer needs a moment to reach the new block. */
const PAUSE_MS = 100;

/**
 * Reads rows of the index, and then the chain at the block of those rows, as one snapshot. Where a reorg came between the two
 * (the chain's read answers null), both are read again.
 * @throws ApiError INDEXER_BEHIND where they still disagree
 */
export async function readSnapshot<R, T>(
  readRows: () => Promise<AtBlock<R>>,
  readChain: (block: IndexedBlock, rows: R) => Promise<T | null>,
): Promise<AtBlock<{ rows: R; chain: T }>> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { block, data: rows } = await readRows();
    const chain = await readChain(block, rows);
    if (chain !== null) return { block, data: { rows, chain } };
    if (attempt < ATTEMPTS) await pause(PAUSE_MS);
  }
  throw new ApiError("INDEXER_BEHIND");
}
