import type pg from "pg";
import { z } from "zod";
import { CASH_SOURCE, ORDER_SOURCE, STOCK_SOURCE } from "../claims/indexed-rows.ts";
import { BUILD_ID, blockOf } from "../db/checkpoint.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { Prisma } from "../db/generated/client.ts";
import { createSelect } from "../db/select.ts";
import { insertSettledOperations } from "../operations/settle-store.ts";
import { insertSettledOrders } from "../orders/settle-store.ts";

/** Statements of the archive of settled orders and operations (docs/lists.md). Each runs in a transaction of the caller's. */

type Client = pg.Pool | pg.PoolClient;

/** Runs a statement that every block runs: most of its time would be planning, which no argument changes. */
const runPrepared = (client: Client, statement: Prisma.Sql): Promise<unknown[]> =>
  withDatabaseErrors(() => createSelect(client)(statement));

async function run(client: Client, { text, values }: Prisma.Sql): Promise<unknown[]> {
  const { rows } = await withDatabaseErrors<pg.QueryResult<Record<string, unknown>>>(() =>
    client.query(text, values),
  );
  return rows;
}

/** The indexer's state on one chain. */
export interface IndexState {
  /** Names the build whose rows the views show. */
  buildId: string;
  /** Number of the last block that the indexer holds for final. */
  safe: bigint;
  latest: bigint;
}

const indexSchema = z.object({
  build_id: z.string(),
  safe_checkpoint: z.string(),
  latest_checkpoint: z.string(),
});

/** Returns how far a chain is indexed; null where it is not, or the index is not ready. @throws ApiError INDEXER_BEHIND */
export async function readIndexState(client: Client, chainId: number): Promise<IndexState | null> {
  const [row] = await runPrepared(
    client,
    Prisma.sql`
      SELECT b.build_id, p.safe_checkpoint, p.latest_checkpoint
      FROM (SELECT ${BUILD_ID} AS build_id) b, onchain._ponder_checkpoint p
      WHERE p.chain_id = ${chainId} AND b.build_id IS NOT NULL`,
  );
  if (!row) return null;
  const { build_id, safe_checkpoint, latest_checkpoint } = indexSchema.parse(row);
  const [safe, latest] = [blockOf(safe_checkpoint), blockOf(latest_checkpoint)];
  return safe && latest && { buildId: build_id, safe: safe.number, latest: latest.number };
}

const progressSchema = z
  .object({
    build_id: z.string(),
    block_number: z.coerce.bigint(),
    filled_to: z.string().nullable(),
    complete: z.boolean(),
  })
  .transform((row) => ({
    buildId: row.build_id,
    block: row.block_number,
    filledTo: row.filled_to,
    complete: row.complete,
  }));

/** The progress of a chain's archive. */
export type Progress = z.output<typeof progressSchema>;

/** Locks the archive of a chain until the transaction ends. @returns null where another worker has it */
export async function lockProgress(client: Client, chainId: number): Promise<Progress | null> {
  const [row] = await runPrepared(
    client,
    Prisma.sql`
      SELECT build_id, block_number::text AS block_number, filled_to::text AS filled_to, complete
      FROM app.settled_chain WHERE chain_id = ${chainId} FOR UPDATE SKIP LOCKED`,
  );
  return row === undefined ? null : progressSchema.parse(row);
}

/** Begins the archive of a chain. @returns false where it has begun already, and another worker has it */
export async function createProgress(client: Client, chainId: number, index: IndexState): Promise<boolean> {
  const rows = await run(
    client,
    Prisma.sql`
      INSERT INTO app.settled_chain (chain_id, build_id, block_number)
      VALUES (${chainId}, ${index.buildId}, ${index.safe}) ON CONFLICT DO NOTHING RETURNING chain_id`,
  );
  return rows.length > 0;
}

/** Begins to fill an archive anew. Lists do not use it until it is complete. */
export async function restartFilling(client: Client, chainId: number, index: IndexState): Promise<void> {
  await run(
    client,
    Prisma.sql`
      UPDATE app.settled_chain
      SET build_id = ${index.buildId}, block_number = ${index.safe}, filled_to = NULL, complete = false
      WHERE chain_id = ${chainId}`,
  );
}

/** Where the index has what lists show, and where it is settled. */
const SOURCES = [
  { ...ORDER_SOURCE, settled: "settled_order" },
  { ...CASH_SOURCE, settled: "settled_operation" },
  { ...STOCK_SOURCE, settled: "settled_operation" },
] as const;

const each = (sqlOf: (source: (typeof SOURCES)[number]) => string, glue: string): Prisma.Sql =>
  Prisma.raw(SOURCES.map(sqlOf).join(glue));

const blockSchema = z.object({ block: z.coerce.bigint().nullable() });

/** Returns the block up to which at most about `changesMax` changes lie behind another one; `safe` where there are fewer. */
export async function nextBlock(
  client: Client,
  { chainId, block, safe, changesMax }: { chainId: number; block: bigint; safe: bigint; changesMax: number },
): Promise<bigint> {
  const parts = SOURCES.map(
    (source) => Prisma.sql`
      SELECT max(b.n) AS n, count(*) AS changes FROM (
        SELECT ${Prisma.raw(source.block)} AS n FROM ${Prisma.raw(`onchain.${source.table}`)}
        WHERE chain_id = ${chainId} AND ${Prisma.raw(source.block)} > ${String(block)}::numeric
          AND ${Prisma.raw(source.block)} <= ${String(safe)}::numeric
        ORDER BY ${Prisma.raw(source.block)} LIMIT ${changesMax}) b`,
  );
  const [row] = await run(
    client,
    Prisma.sql`
      SELECT min(p.n)::text AS block FROM (${Prisma.join(parts, " UNION ALL ")}) p WHERE p.changes >= ${changesMax}`,
  );
  return blockSchema.parse(row).block ?? safe;
}

/** Higher than every block: what waits for it waits until its transaction is indexed after all. */
const NEVER = 9_223_372_036_854_775_807n;

/**
 * Moves the settled block of a chain on. What changed since the old one, or may still be taken back to a state that is not
 * known here, is unsettled: one statement reads it, since a reorg between two would hide a change.
 */
export async function advance(
  client: Client,
  { chainId, block, to, safe }: { chainId: number; block: bigint; to: bigint; safe: bigint },
): Promise<void> {
  const parts = SOURCES.map(({ table, block: column, settled }) => {
    const changed = Prisma.raw(`o.${column}`);
    return Prisma.sql`
      SELECT o.tx_hash FROM ${Prisma.raw(`onchain.${table}`)} o
      WHERE o.chain_id = ${chainId} AND ${changed} > ${String(block)}::numeric
        AND (${changed} <= ${String(to)}::numeric OR ${changed} > ${String(safe)}::numeric)
        AND (EXISTS (SELECT 1 FROM ${Prisma.raw(`app.${settled}`)} s
            WHERE s.chain_id = o.chain_id AND s.tx_hash = o.tx_hash)
          OR EXISTS (SELECT 1 FROM app.unsettled_claim u
            WHERE u.chain_id = o.chain_id AND u.tx_hash = o.tx_hash AND u.ready_block = ${NEVER}))`;
  });
  await run(
    client,
    Prisma.sql`
      SELECT app.unsettle(array_agg(${chainId}::int), array_agg(t.tx_hash), ARRAY[]::uuid[])
      FROM (${Prisma.join(parts, " UNION ")}) t`,
  );
  await run(
    client,
    Prisma.sql`UPDATE app.settled_chain SET block_number = ${to} WHERE chain_id = ${chainId}`,
  );
}

const lastSchema = z.object({ last: z.string().nullable() });

/**
 * Enters the next claims of a chain, in the order of their ids, into unsettled_claim.
 * @returns the last of them; null where there are no more
 */
export async function enterClaims(
  client: Client,
  { chainId, filledTo, claimsMax }: { chainId: number; filledTo: string | null; claimsMax: number },
): Promise<string | null> {
  const [row] = await run(
    client,
    Prisma.sql`
      WITH next AS MATERIALIZED (
        SELECT c.claim_id, c.tx_hash FROM app.transaction_claim c
        WHERE c.chain_id = ${chainId} ${filledTo === null ? Prisma.empty : Prisma.sql`AND c.claim_id > ${filledTo}::uuid`}
        ORDER BY c.claim_id LIMIT ${claimsMax})
      SELECT (SELECT n.claim_id::text FROM next n ORDER BY n.claim_id DESC LIMIT 1) AS last,
        app.unsettle((SELECT array_agg(${chainId}::int) FROM next n WHERE n.tx_hash IS NOT NULL),
          (SELECT array_agg(n.tx_hash) FROM next n WHERE n.tx_hash IS NOT NULL),
          (SELECT array_agg(n.claim_id) FROM next n))`,
  );
  const { last } = lastSchema.parse(row);
  await run(
    client,
    Prisma.sql`
      UPDATE app.settled_chain SET filled_to = coalesce(${last}::uuid, filled_to), complete = ${last === null}
      WHERE chain_id = ${chainId}`,
  );
  return last;
}

const lockedSchema = z.object({ claim_id: z.string(), tx_hash: z.string().nullable() });

/** Claims that may be settled, locked until the transaction ends. */
export interface Locked {
  claimIds: string[];
  /** The last of their transactions; null where none is left behind it. */
  last: string | null;
}

/**
 * Locks the unsettled claims to the next transactions, in the order of their hashes, that may be final. What is locked
 * is read anew afterwards: a claim that was written in between is seen then, or its writer waits for this transaction.
 */
export async function lockUnsettled(
  client: Client,
  { chainId, block, after, hashesMax }: { chainId: number; block: bigint; after: string; hashesMax: number },
): Promise<Locked> {
  const rows = await run(
    client,
    Prisma.sql`
      SELECT l.claim_id::text AS claim_id, l.tx_hash
      FROM app.unsettled_claim l
      JOIN (SELECT DISTINCT u.tx_hash FROM app.unsettled_claim u
        WHERE u.chain_id = ${chainId} AND u.tx_hash > ${after} AND coalesce(u.ready_block, 0) <= ${block}
        ORDER BY u.tx_hash LIMIT ${hashesMax}) next ON next.tx_hash = l.tx_hash
      WHERE l.chain_id = ${chainId}
      ORDER BY l.tx_hash FOR UPDATE OF l SKIP LOCKED`,
  );
  const locked = rows.map((row) => lockedSchema.parse(row));
  return { claimIds: locked.map(({ claim_id }) => claim_id), last: locked.at(-1)?.tx_hash ?? null };
}

/** Locks claims that failed before they had a transaction. */
export async function lockUnsent(
  client: Client,
  { chainId, claimsMax }: { chainId: number; claimsMax: number },
): Promise<string[]> {
  const rows = await run(
    client,
    Prisma.sql`
      SELECT l.claim_id::text AS claim_id, l.tx_hash FROM app.unsettled_claim l
      WHERE l.chain_id = ${chainId} AND l.tx_hash IS NULL AND EXISTS (SELECT 1 FROM app.transaction_claim c
        WHERE c.claim_id = l.claim_id AND c.tx_hash IS NULL AND c.state = 'reverted')
      LIMIT ${claimsMax} FOR UPDATE OF l SKIP LOCKED`,
  );
  return rows.map((row) => lockedSchema.parse(row).claim_id);
}

/** Returns SQL that holds for a claim `c` that nothing can be added to any more, where its transaction is final. */
const decided = Prisma.sql`
  (c.state = 'reverted'
    OR c.state = 'dropped' AND c.last_block IS NOT NULL
    OR CASE WHEN c.operation_type = 'trade'
      THEN EXISTS (SELECT 1 FROM onchain.stock_order o
        WHERE o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash)
      ELSE EXISTS (SELECT 1 FROM onchain.cash_operation o
          WHERE o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
            AND o.kind = c.operation_type::text AND o.order_id IS NULL)
        OR EXISTS (SELECT 1 FROM onchain.stock_operation o
          WHERE o.chain_id = c.chain_id AND o.product_type = c.product_type AND o.tx_hash = c.tx_hash
            AND o.kind = c.operation_type::text AND o.order_id IS NULL) END)`;

const settledSchema = z.object({ settled: z.number() });

/**
 * Settles those of the locked claims whose transactions are final as a whole: writes what they own, and removes them from
 * unsettled_claim. Records for the others the block that they wait for. An event of a block that is not final keeps its claim
 * unsettled: a reorg may bring that block back before the log reports it again. One statement reads all of it, so it is of
 * one block, and it writes nothing where the index shows another build meanwhile.
 * @returns how many claims were settled
 */
export async function settle(
  client: Client,
  { buildId, block, claimIds }: { buildId: string; block: bigint; claimIds: readonly string[] },
): Promise<number> {
  const lastBlock = each(
    ({ table, block: column }) =>
      `(SELECT max(s.${column}) FROM onchain.${table} s WHERE s.chain_id = c.chain_id AND s.tx_hash = c.tx_hash)`,
    ", ",
  );
  const [row] = await run(
    client,
    Prisma.sql`
      WITH locked AS MATERIALIZED (
        SELECT c.*, greatest(${lastBlock}) AS last_block, coalesce((
            SELECT max(m.block_number) FROM app.event_memory m WHERE m.claim_id = c.claim_id), 0) AS reported_block,
          NOT EXISTS (SELECT 1 FROM app.transaction_claim x WHERE x.chain_id = c.chain_id AND x.tx_hash = c.tx_hash
            AND x.claim_id <> ALL(${claimIds}::uuid[])) AS whole
        FROM unnest(${claimIds}::uuid[]) AS l (claim_id) CROSS JOIN LATERAL (
          SELECT * FROM app.transaction_claim t WHERE t.claim_id = l.claim_id OFFSET 0) c
        WHERE ${BUILD_ID} = ${buildId}
      ), judged AS MATERIALIZED (
        SELECT c.claim_id, c.tx_hash, c.state, c.last_block, greatest(c.last_block, c.reported_block) AS ready_block,
          bool_and(c.whole AND coalesce(c.last_block, 0) <= ${block} AND c.reported_block <= ${block} AND ${decided})
            OVER (PARTITION BY coalesce(c.tx_hash, c.claim_id::text)) AS is_final
        FROM locked c
      ), ready AS MATERIALIZED (
        SELECT j.claim_id FROM judged j WHERE j.is_final
      ), orders AS (
        ${insertSettledOrders(Prisma.sql`SELECT claim_id FROM ready`)}
      ), operations AS (
        ${insertSettledOperations(Prisma.sql`SELECT claim_id FROM ready`)}
      ), waiting AS (
        UPDATE app.unsettled_claim u
        SET ready_block = CASE WHEN j.state = 'dropped' AND j.last_block IS NULL THEN ${NEVER} ELSE j.ready_block END
        FROM judged j WHERE u.claim_id = j.claim_id AND NOT j.is_final
          AND (j.ready_block > ${block} OR j.state = 'dropped' AND j.last_block IS NULL)
      ), removed AS (
        DELETE FROM app.unsettled_claim u USING ready r WHERE u.claim_id = r.claim_id RETURNING 1)
      SELECT count(*)::int AS settled FROM removed`,
  );
  return settledSchema.parse(row).settled;
}

/** Adds to the counts of a chain's settled rows what transactions have noted since. The caller has locked its progress. */
export async function mergeCounts(client: Client, chainId: number): Promise<void> {
  const columns = Prisma.raw("key_id, chain_id, product_type, kind, status, side, order_type");
  await runPrepared(
    client,
    Prisma.sql`
      WITH noted AS (DELETE FROM app.settled_count_change WHERE chain_id = ${chainId} RETURNING ${columns}, row_count)
      INSERT INTO app.settled_count AS n (${columns}, row_count)
      SELECT ${columns}, sum(row_count) FROM noted GROUP BY ${columns} HAVING sum(row_count) <> 0 ORDER BY ${columns}
      ON CONFLICT (${columns}) DO UPDATE SET row_count = n.row_count + excluded.row_count`,
  );
}
