import type pg from "pg";
import { withDatabaseErrors } from "../db/errors.ts";
import { ApiError } from "../protocol/errors.ts";

/**
 * Returns the position of the index in a chain, to be compared and nothing else; null before the indexer has a block.
 * Two chains of one height and time have one position: a reorg may leave it as it was.
 */
export async function readPosition(pool: pg.Pool, chainId: number): Promise<string | null> {
  try {
    const { rows } = await withDatabaseErrors(() =>
      pool.query<{ position: string }>(
        `SELECT latest_checkpoint || '/' || safe_checkpoint AS position
         FROM onchain._ponder_checkpoint WHERE chain_id = $1`,
        [chainId],
      ),
    );
    return rows[0]?.position ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "INDEXER_BEHIND") return null;
    throw error;
  }
}
