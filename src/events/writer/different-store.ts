import type pg from "pg";
import { z } from "zod";
import { Prisma } from "../../db/generated/client.ts";
import { SOURCES, select } from "./changes-store.ts";
import { isSameChange } from "./multipliers-store.ts";

// Finds what a reorg changed behind the log: compares everything of the index that is not final with the last reports of the log
// (app.event_memory, event_unowned, event_multiplier and event_delegation).

const differentSchema = z.object({ tx_hash: z.string().nullable(), key_ids: z.array(z.string()).nullable() });

/** Differences between the index and what the log last reported. */
export interface Different {
  /** Transactions, in the order of their hashes. */
  hashes: string[];
  /** Keys whose delegations changed. */
  keyIds: string[];
}

interface DifferentRange {
  chainId: number;
  /** The block behind which transactions are compared. */
  from: bigint;
  /** The hash behind which transactions are returned; empty for the first part of a pass. */
  after: string;
  max: number;
}

/**
 * Returns transactions behind a block, in the order of their hashes, whose rows in the index differ from the last reports of the log, or
 * are in only one of the two. OFFSET 0 makes PostgreSQL look each row up by an index: it would hash whole tables, and compute the MD5 of
 * all rows of the index.
 */
export async function readDifferent(client: pg.PoolClient, range: DifferentRange): Promise<Different> {
  const parts = [...unreported(range), ...gone(range), ...multipliers(range)];
  const rows = await select(
    client,
    Prisma.sql`
      SELECT k.key_ids, h.tx_hash FROM (${delegations(range)}) k LEFT JOIN (
        SELECT t.tx_hash FROM (${Prisma.join(parts, " UNION ")}) t
        ORDER BY t.tx_hash LIMIT ${range.max}) h ON true
      ORDER BY h.tx_hash`,
  );
  const parsed = rows.map((row) => differentSchema.parse(row));
  return { hashes: parsed.flatMap(({ tx_hash }) => tx_hash ?? []), keyIds: parsed[0]?.key_ids ?? [] };
}

/** Selects transactions with a claim and a row in the index that the log has not reported as it is. */
function unreported({ chainId, from, after }: DifferentRange): Prisma.Sql[] {
  return SOURCES.map(({ table, id, block }) => {
    const same = Prisma.sql`
      m.object_id = ${Prisma.raw(`o.${id}`)} AND m.chain_id = o.chain_id AND m.row_hash = md5(o::text)::uuid`;
    return Prisma.sql`
      SELECT o.tx_hash FROM ${Prisma.raw(`onchain.${table}`)} o
      WHERE o.chain_id = ${chainId} AND ${Prisma.raw(`o.${block}`)} > ${String(from)}::numeric AND o.tx_hash > ${after}
        AND NOT (EXISTS (SELECT 1 FROM app.event_memory m WHERE ${same} OFFSET 0)
          OR EXISTS (SELECT 1 FROM app.event_unowned m WHERE ${same} AND m.product_type = o.product_type OFFSET 0))
        AND EXISTS (SELECT 1 FROM app.transaction_claim c WHERE c.chain_id = o.chain_id AND c.tx_hash = o.tx_hash)`;
  });
}

/** Selects transactions with a row that the log has reported and that the index no longer has as it was. */
function gone({ chainId, from, after }: DifferentRange): Prisma.Sql[] {
  const isGone = SOURCES.map(
    ({ table, id }) => Prisma.sql`
      NOT EXISTS (SELECT 1 FROM ${Prisma.raw(`onchain.${table}`)} o
        WHERE o.chain_id = m.chain_id AND o.product_type = m.product_type AND ${Prisma.raw(`o.${id}`)} = m.object_id
          AND md5(o::text)::uuid = m.row_hash OFFSET 0)`,
  );
  return ["event_memory", "event_unowned"].map(
    (table) => Prisma.sql`
      SELECT m.tx_hash FROM ${Prisma.raw(`app.${table}`)} m
      WHERE m.chain_id = ${chainId} AND m.block_number > ${from} AND m.tx_hash > ${after}
        AND ${Prisma.join(isGone, " AND ")}`,
  );
}

/** Selects transactions with a change of a multiplier that either the index or the log has alone. */
const multipliers = ({ chainId, from, after }: DifferentRange): Prisma.Sql[] => [
  Prisma.sql`
    SELECT o.tx_hash FROM onchain.multiplier_change o
    WHERE o.chain_id = ${chainId} AND o.block_number > ${String(from)}::numeric AND o.tx_hash > ${after}
      AND NOT EXISTS (SELECT 1 FROM app.event_multiplier m WHERE ${isSameChange})`,
  Prisma.sql`
    SELECT m.tx_hash FROM app.event_multiplier m
    WHERE m.chain_id = ${chainId} AND m.block_number > ${from} AND m.tx_hash > ${after}
      AND NOT EXISTS (SELECT 1 FROM onchain.multiplier_change o WHERE ${isSameChange})`,
];

/**
 * Selects the keys whose delegations differ from their last reports, in the first part of a pass alone: there are few, and the index has
 * no block of their changes.
 */
const delegations = ({ chainId, after }: DifferentRange): Prisma.Sql => Prisma.sql`
  SELECT json_agg(DISTINCT m.key_id) AS key_ids FROM app.event_delegation m LEFT JOIN onchain.delegation d
    ON d.chain_id = m.chain_id AND d.product_type = m.product_type AND d.user_address = m.user_address
  WHERE m.chain_id = ${chainId} AND ${after} = '' AND md5(d::text)::uuid IS DISTINCT FROM m.row_hash
    AND EXISTS (SELECT 1 FROM app.api_key_scope s WHERE s.key_id = m.key_id AND s.chain_id = m.chain_id
      AND s.product_type = m.product_type)`;
