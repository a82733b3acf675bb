import type pg from "pg";
import { z } from "zod";
import { whereIndexed } from "../db/errors.ts";
import { queryMaybeOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";

const rowSchema = z.object({ position: z.string().nullable() });

/**
 * Returns the position of the index in a chain, only for comparisons; null before the indexer has a block. Blocks of equal
 * height and time have equal positions, so a reorg may not change it.
 */
export async function readPosition(pool: pg.Pool, chainId: number): Promise<string | null> {
  const statement = sql`
    SELECT latest_checkpoint || '/' || safe_checkpoint AS position
    FROM onchain._ponder_checkpoint WHERE chain_id = ${chainId}`;
  const row = await whereIndexed(() => queryMaybeOne(pool, statement, rowSchema), null);
  return row?.position ?? null;
}
