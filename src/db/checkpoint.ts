import { z } from "zod";
import { ApiError } from "../protocol/errors.ts";
import { type Queryable, queryJoined, type RowParser } from "./query.ts";
import { raw, type Sql, sql } from "./sql.ts";

/** A block that the indexer has processed; its timestamp is in Unix seconds. */
export interface IndexedBlock {
  number: bigint;
  timestamp: bigint;
}

/** A value, and the block that it was read at. */
export interface AtBlock<T> {
  block: IndexedBlock;
  data: T;
}

/**
 * Holds while the index is one of blocks up to its checkpoint. An indexer that starts takes back what was not final,
 * rows and checkpoint one after another, and indexes it again: until it says that it is ready, the two do not agree, and
 * rows are missing that readers have seen. Where several chains are indexed, it holds while one of them is ready, and only those that
 * are have a row in _ponder_checkpoint (indexer/union.ts).
 */
export const INDEX_IS_READY =
  "(SELECT (value ->> 'is_ready')::int = 1 FROM onchain._ponder_meta WHERE key = 'app')";

/** Returns the build whose rows the views show of a chain, as a scalar subquery; NULL while that is not ready. */
export const buildIdSql = (chainId: Sql): Sql => sql`
  (SELECT CASE WHEN value ? 'builds' THEN value -> 'builds' ->> (${chainId})::text ELSE coalesce(value ->> 'build_id', '') END
    FROM onchain._ponder_meta WHERE key = 'app' AND (value ->> 'is_ready')::int = 1)`;

/**
 * Returns the indexed block of a chain as a scalar subquery, for statements that read rows and block together. Its value goes
 * through parseCheckpoint; null or NULL means that the indexer has not got that far.
 */
export function checkpointSql(chainId: number): Sql {
  return sql`(SELECT latest_checkpoint FROM onchain._ponder_checkpoint
    WHERE chain_id = ${chainId} AND ${raw(INDEX_IS_READY)})`;
}

/** Parses a checkpoint; null where the indexer has not got that far. */
export function blockOf(checkpoint: string | null | undefined): IndexedBlock | null {
  try {
    return parseCheckpoint(checkpoint);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

// Ponder's encoding, decimal digits: timestamp 10, chain id 16, block number 16, transaction index 16, event type 1,
// event index 16.
const CHECKPOINT = /^(\d{10})\d{16}(\d{16})\d{33}$/;

/**
 * Reads a checkpoint as the indexer stores it.
 * @throws ApiError INDEXER_BEHIND where there is none yet.
 */
export function parseCheckpoint(checkpoint: string | null | undefined): IndexedBlock {
  if (checkpoint === null || checkpoint === undefined) throw new ApiError("INDEXER_BEHIND");
  const match = CHECKPOINT.exec(checkpoint);
  if (!match?.[1] || !match[2]) throw new Error("onchain._ponder_checkpoint holds what is not a checkpoint");
  const number = BigInt(match[2]);
  // Block 0 at time 0 is what the indexer writes before it has seen a block.
  if (number === 0n && /^0+$/.test(match[1])) throw new ApiError("INDEXER_BEHIND");
  return { number, timestamp: BigInt(match[1]) };
}

const headSchema = z.object({ checkpoint: z.string().nullable() });
/** NULL where the SELECT has no row at all. */
const ID = "rowOrdinal";

/**
 * Runs a SELECT and reads the chain's indexed block in the same statement, so that both are of one snapshot. Order and limit of the
 * SELECT hold.
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
 * Reads like readAtBlock, for rows of several chains: the indexed block of every chain comes with them, of the same snapshot.
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
