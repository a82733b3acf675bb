import type pg from "pg";
import { z } from "zod";
import { blockOf, buildIdSql } from "../../db/checkpoint.ts";
import { type Queryable, queryOne, queryRows } from "../../db/query.ts";
import { empty, join, raw, type Sql, sql } from "../../db/sql.ts";
import { readClaimIds, readNextClaims } from "./changes-store.ts";

// Reads the projection as it is, for those who compare it or show how far it is.

/** Positions of a chain's rows and of its index. */
export interface Projection {
  chainId: number;
  block: bigint;
  /** Null before the first step. */
  buildId: string | null;
  filled: boolean;
  /** As of LogState. */
  filledTo: string | null;
  /** Null where the index is not ready. */
  indexed: { buildId: string; block: bigint } | null;
}

const projectionSchema = z
  .object({
    chainId: z.number(),
    block: z.coerce.bigint(),
    buildId: z.string().nullable(),
    filled: z.boolean(),
    filledTo: z.string().nullable(),
    indexedBuild: z.string().nullable(),
    latestCheckpoint: z.string().nullable(),
  })
  .transform(({ indexedBuild, latestCheckpoint, ...row }): Projection => {
    const block = blockOf(latestCheckpoint)?.number;
    const indexed = indexedBuild !== null && block !== undefined ? { buildId: indexedBuild, block } : null;
    return { ...row, indexed };
  });

/** Reads how far the rows of each chain are. @throws ApiError INDEXER_BEHIND where there is no index */
export function readProjections(client: Queryable): Promise<Projection[]> {
  const statement = sql`
    SELECT c.chain_id, c.block_number AS block, c.build_id, c.filled, c.filled_to, ${buildIdSql(sql`c.chain_id`)} AS indexed_build, p.latest_checkpoint
    FROM app.event_chain c LEFT JOIN onchain._ponder_checkpoint p ON p.chain_id = c.chain_id ORDER BY c.chain_id`;
  return queryRows(client, statement, projectionSchema);
}

const TABLES = ["key_order", "key_operation"] as const;

const planSchema = z.object({
  "QUERY PLAN": z.tuple([z.object({ Plan: z.object({ "Plan Rows": z.number() }) })]),
});

/** Returns about how many rows keys see of a chain, by PostgreSQL's statistics. */
export async function estimateRows(client: Queryable, chainId: number): Promise<number> {
  let sum = 0;
  for (const table of TABLES) {
    const rows = sql`SELECT 1 FROM ${raw(`app.${table}`)} r WHERE r.chain_id = ${chainId}`;
    const plan = await queryOne(client, sql`EXPLAIN (FORMAT JSON) ${rows}`, planSchema);
    sum += plan["QUERY PLAN"][0].Plan["Plan Rows"];
  }
  return sum;
}

/** The next claims of a chain behind one, in the order of their ids, with all rows up to the last; or some claims alone. */
export type Part = { after: string; max: number } | { only: readonly string[] };

/** Returns the claims of a part. */
export const readClaims = (client: pg.PoolClient, chainId: number, part: Part): Promise<string[]> =>
  "only" in part
    ? readClaimIds(
        client,
        sql`
          SELECT c.claim_id::text AS claim_id FROM app.transaction_claim c
          WHERE c.chain_id = ${chainId} AND c.claim_id = ANY(${part.only}::uuid[])`,
      )
    : readNextClaims(client, { chainId, ...part });

/** The columns of a row of app.key_order or app.key_operation, as text. */
export type RowText = Readonly<Record<string, string | null>>;

const rowSchema = z.object({ texts: z.record(z.string(), z.string().nullable()) });

/** Reads the columns of the rows of a part, those of other claims than its own, too; all save for the event that reported a row. */
export async function readRows(
  client: pg.PoolClient,
  chainId: number,
  { part, claimIds }: { part: Part; claimIds: readonly string[] },
): Promise<RowText[]> {
  const within = withinSql(part, claimIds);
  const tables = TABLES.map(
    (table) => sql`
      SELECT (SELECT json_object_agg(t.key, t.value) FROM jsonb_each_text(to_jsonb(r) - 'event_id') t) AS texts
      FROM ${raw(`app.${table}`)} r
      WHERE ${within} AND (r.chain_id = ${chainId} OR r.claim_id = ANY(${claimIds}::uuid[]))`,
  );
  const rows = await queryRows(client, join(tables, " UNION ALL "), rowSchema);
  return rows.map(({ texts }) => texts);
}

function withinSql(part: Part, claimIds: readonly string[]): Sql {
  if ("only" in part) return sql`r.claim_id = ANY(${part.only}::uuid[])`;
  const last = claimIds.length < part.max ? undefined : claimIds.at(-1);
  const end = last === undefined ? empty : sql`AND r.claim_id <= ${last}::uuid`;
  return sql`r.claim_id > ${part.after}::uuid ${end}`;
}

/** Returns those of some claims that are due, or that another claim which is due may decide. */
export const readDecidedByDue = (
  client: pg.PoolClient,
  chainId: number,
  claimIds: readonly string[],
): Promise<string[]> =>
  readClaimIds(
    client,
    sql`
      WITH due AS MATERIALIZED (
        SELECT d.claim_id, t.tx_hash, t.attribution_nonce
        FROM (SELECT DISTINCT e.claim_id FROM app.event_due e WHERE e.chain_id = ${chainId}) d
        LEFT JOIN app.transaction_claim t ON t.claim_id = d.claim_id)
      SELECT l.claim_id::text AS claim_id
      FROM unnest(${claimIds}::uuid[]) AS l (claim_id) LEFT JOIN app.transaction_claim c ON c.claim_id = l.claim_id
      WHERE l.claim_id IN (SELECT claim_id FROM due) OR c.tx_hash IN (SELECT tx_hash FROM due)
        OR c.attribution_nonce IN (SELECT attribution_nonce FROM due)`,
  );
