import { z } from "zod";
import { ApiError } from "../protocol/errors.ts";
import {
  type AtBlock,
  blockOf,
  checkpointSql,
  INDEX_IS_READY,
  type IndexedBlock,
  parseCheckpoint,
} from "./checkpoint.ts";
import { type Queryable, queryJoined, type RowParser } from "./query.ts";
import { raw, type Sql, sql } from "./sql.ts";

/** Reads rows and the indexed block in one statement, so that both are of one snapshot. */

const headSchema = z.object({ checkpoint: z.string().nullable() });
/** NULL where the SELECT has no row at all. */
const ID = "rowOrdinal";

/**
 * Runs a SELECT and reads the chain's indexed block with it. Order and limit of the SELECT hold.
 * @throws ApiError INDEXER_BEHIND where the view or the checkpoint is missing, DATABASE_UNAVAILABLE
 */
export const readAtBlock = <T>(
  client: Queryable,
  chainId: number,
  select: Sql,
  row: RowParser<T>,
): Promise<AtBlock<T[]>> => {
  const rows = sql`(SELECT row_number() OVER () AS row_ordinal, s.* FROM (${select}) s) r ON true ORDER BY r.row_ordinal`;
  return readWithBlock(client, chainId, rows, row);
};

/**
 * Reads like readAtBlock where there is one row, or their order does not matter: without the numbering and the sort, which
 * cost a third of what PostgreSQL needs for one order.
 * @throws ApiError as readAtBlock
 */
export const readSetAtBlock = <T>(
  client: Queryable,
  chainId: number,
  select: Sql,
  row: RowParser<T>,
): Promise<AtBlock<T[]>> =>
  readWithBlock(client, chainId, sql`(SELECT 1 AS row_ordinal, s.* FROM (${select}) s) r ON true`, row);

async function readWithBlock<T>(
  client: Queryable,
  chainId: number,
  joined: Sql,
  row: RowParser<T>,
): Promise<AtBlock<T[]>> {
  const statement = sql`
    SELECT c.checkpoint, r.* FROM (SELECT ${checkpointSql(chainId)} AS checkpoint) c LEFT JOIN ${joined}`;
  const { head, rows } = await queryJoined(client, statement, { head: headSchema, row, id: ID });
  return { block: parseCheckpoint(head?.checkpoint), data: rows };
}

const checkpointsSchema = z.object({
  checkpoints: z.array(z.object({ chainId: z.coerce.number(), checkpoint: z.string() })).nullable(),
});

/** A value that was read across chains, and the indexed block of each chain that has one. */
export interface AtBlocks<T> {
  blocks: ReadonlyMap<number, IndexedBlock>;
  data: T;
}

/**
 * Reads like readAtBlock, for rows of several chains: the indexed block of every chain comes with them.
 * @throws ApiError INDEXER_BEHIND where a view is missing or no chain is indexed, DATABASE_UNAVAILABLE
 */
export async function readAtBlocks<T>(
  client: Queryable,
  select: Sql,
  row: RowParser<T>,
): Promise<AtBlocks<T[]>> {
  const statement = sql`
    SELECT c.checkpoints, r.*
    FROM (SELECT json_agg(json_build_object('chainId', p.chain_id, 'checkpoint', p.latest_checkpoint)) AS checkpoints
      FROM onchain._ponder_checkpoint p WHERE ${raw(INDEX_IS_READY)}) c
    LEFT JOIN (SELECT row_number() OVER () AS row_ordinal, s.* FROM (${select}) s) r ON true
    ORDER BY r.row_ordinal`;
  const { head, rows } = await queryJoined(client, statement, { head: checkpointsSchema, row, id: ID });
  const blocks = new Map<number, IndexedBlock>();
  for (const { chainId, checkpoint } of head?.checkpoints ?? []) {
    const block = blockOf(checkpoint);
    if (block) blocks.set(chainId, block);
  }
  if (blocks.size === 0) throw new ApiError("INDEXER_BEHIND");
  return { blocks, data: rows };
}
