import { type Sql, sql } from "../../db/sql.ts";

/**
 * Finds where the index and what was projected of it part: statements of the transaction that projects, which reads and
 * writes under its chain's lock. Both tables hold blocks with an event, so a reorg of blocks without any is no difference.
 */

/**
 * Selects the first block that only one of the two has, or that differs in its hash: everything from it on must be projected
 * again, and the block before it is the common ancestor. NULL where there is none.
 * @param range.projected the last block that was projected
 * @param range.verified the last block that is final for the projector: what is final is not compared. Never less than
 *   what `blockItems` last had, which keeps nothing up to it.
 */
export const firstDifference = (
  chainId: number,
  { projected, verified }: { projected: bigint; verified: bigint },
): Sql => sql`
  SELECT min(coalesce(i.number, p.number)) AS number
  FROM (${indexed(chainId, { verified, to: projected })}) i
  FULL JOIN (
    SELECT b.number, b.hash FROM app.projected_block b
    WHERE b.chain_id = ${chainId} AND b.number > ${verified}::bigint AND b.number <= ${projected}::bigint
  ) p ON p.number = i.number AND p.hash = i.hash
  WHERE i.number IS NULL OR p.number IS NULL`;

/** Returns WITH items that make the projected blocks those of the index behind `verified` and up to `to`. They write no block that is so already. */
export const blockItems = (chainId: number, { to, verified }: { to: bigint; verified: bigint }): Sql[] => [
  sql`blocks AS MATERIALIZED (${indexed(chainId, { verified, to })})`,
  sql`blocks_gone AS (
      DELETE FROM app.projected_block b
      WHERE b.chain_id = ${chainId} AND NOT EXISTS (SELECT FROM blocks i WHERE i.number = b.number)
    )`,
  sql`blocks_written AS (
      INSERT INTO app.projected_block (chain_id, number, hash)
      SELECT ${chainId}::int, i.number, i.hash FROM blocks i
      LEFT JOIN app.projected_block b ON b.chain_id = ${chainId} AND b.number = i.number
      WHERE b.hash IS DISTINCT FROM i.hash
      ON CONFLICT (chain_id, number) DO UPDATE SET hash = excluded.hash
    )`,
];

/** Selects a chain's blocks with events of the index that are not final. */
const indexed = (chainId: number, { verified, to }: { verified: bigint; to: bigint }): Sql => sql`
  SELECT e.number::bigint AS number, e.hash FROM onchain.event_block e
  WHERE e.chain_id = ${chainId} AND e.number > ${verified}::numeric AND e.number <= ${to}::numeric`;
