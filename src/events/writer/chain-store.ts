import type pg from "pg";
import { z } from "zod";
import { blockOf, buildIdSql } from "../../db/checkpoint.ts";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";

/** Reads how far index and log of a chain are, and locks the log. */

const logSchema = z.object({
  block: z.coerce.bigint(),
  verified: z.coerce.bigint(),
  /** Null before the first step. */
  buildId: z.string().nullable(),
  filled: z.boolean(),
  /** The cursor of the comparison of all claims with their rows: the last claim's id, in the order of ids; null where none is under way. */
  filledTo: z.string().nullable(),
});
/** Positions of the event log and the rows of a chain: its row of app.event_chain. */
export type LogState = z.output<typeof logSchema>;

/** Positions of the index and the event log of a chain. */
export interface ChainState {
  buildId: string;
  /** Last block that is final for the indexer. */
  safe: bigint;
  latest: bigint;
  /** Null before the log of the chain has begun. */
  log: LogState | null;
}

/** A chain whose log has begun. */
export type BegunChain = ChainState & { log: LogState };

const stateSchema = z.object({
  buildId: z.string(),
  safeCheckpoint: z.string(),
  latestCheckpoint: z.string(),
  log: logSchema.nullable(),
});

/**
 * Reads how far a chain is, and locks its log until the transaction ends, which compiles no plan: those that hold for all values are
 * estimated to cost far more than they do. So there is one writer at a time, and sequences follow each
 * other in the order of commits: where another has written since this transaction's snapshot, the lock fails.
 * @returns null where the chain is not indexed, or the index is not ready
 * @throws ApiError INDEXER_BEHIND
 */
export async function lockChain(client: pg.PoolClient, chainId: number): Promise<ChainState | null> {
  const statement = sql`
    SELECT b.build_id, p.safe_checkpoint, p.latest_checkpoint, e.log, set_config('jit', 'off', true)
    FROM (SELECT ${buildIdSql(sql`${chainId}`)} AS build_id) b CROSS JOIN onchain._ponder_checkpoint p
    LEFT JOIN LATERAL (
      SELECT json_build_object('block', c.block_number::text, 'verified', c.verified_block::text, 'buildId', c.build_id,
        'filled', c.filled, 'filledTo', c.filled_to) AS log
      FROM app.event_chain c WHERE c.chain_id = p.chain_id FOR UPDATE) e ON true
    WHERE p.chain_id = ${chainId} AND b.build_id IS NOT NULL`;
  const state = await queryMaybeOne(client, statement, stateSchema);
  if (!state) return null;
  const { buildId, log } = state;
  const [safe, latest] = [blockOf(state.safeCheckpoint), blockOf(state.latestCheckpoint)];
  return safe && latest && { buildId, safe: safe.number, latest: latest.number, log };
}

/**
 * Locks the log of a chain while it has no row of its own, until the transaction ends: for appends before it has one, and for the insert
 * of that row.
 */
export const logLock = (chainId: number): Sql =>
  sql`pg_advisory_xact_lock(hashtextextended(${`events ${chainId}`}, 0))`;

/** Begins the log of a chain, behind those who append to it: what was final before is history, and no event. */
export async function createEventChain(
  pool: pg.Pool,
  chainId: number,
  { safe }: Pick<ChainState, "safe">,
): Promise<void> {
  const statement = sql`
    WITH locked AS MATERIALIZED (SELECT ${logLock(chainId)})
    INSERT INTO app.event_chain (chain_id, block_number, verified_block)
    SELECT ${chainId}::int, ${safe}::bigint, ${safe}::bigint FROM locked ON CONFLICT DO NOTHING`;
  await execute(pool, statement);
}
