import type pg from "pg";
import { z } from "zod";
import { whereIndexed } from "../db/errors.ts";
import { queryMaybeOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";

const rowSchema = z.object({ position: z.string().nullable() });

/**
 * Returns the position of the index in a chain, to be compared and nothing else; null before the indexer has a block.
 * Two chains of one height and time have one position: a reorg may leave it as it was.
 */
export async function readPosition(pool: pg.Pool, chainId: number): Promise<string | null> {
  const statement = sql`
    SELECT latest_checkpoint || '/' || safe_checkpoint AS position
    FROM onchain._ponder_checkpoint WHERE chain_id = ${chainId}`;
  const row = await whereIndexed(() => queryMaybeOne(pool, statement, rowSchema), null);
  return row?.position ?? null;
}
