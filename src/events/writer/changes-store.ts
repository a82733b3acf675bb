import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { plannedOnce } from "../../db/planned-once.ts";
import { queryOne, queryRows } from "../../db/query.ts";
import { empty, join, raw, type Sql, sql } from "../../db/sql.ts";
import { EVENT_RESOURCES } from "../../protocol/enums.ts";
import { storedHex } from "../../protocol/shapes.ts";
import { firstDifference } from "./ancestor-store.ts";
import type { ChangedTable, DifferentRange, Find } from "./source.ts";

/** Finds what may have to be reported, in the transaction that reports it. */

/** Less than every claim's id. */
export const FIRST_CLAIM = "00000000-0000-0000-0000-000000000000";

const idSchema = z.object({ claimId: z.string() });

/** Returns the claims that the rows of a statement name. */
export const readClaimIds = async (client: pg.PoolClient, statement: Sql): Promise<string[]> =>
  (await queryRows(client, statement, idSchema)).map(({ claimId }) => claimId);

/** Returns the next claims of a chain behind one, in the order of their ids. */
export const readNextClaims = (
  client: pg.PoolClient,
  { chainId, after, max }: { chainId: number; after: string; max: number },
): Promise<string[]> =>
  readClaimIds(
    client,
    sql`
      SELECT c.claim_id::text AS claim_id FROM app.transaction_claim c
      WHERE c.chain_id = ${chainId} AND c.claim_id > ${after}::uuid ORDER BY c.claim_id LIMIT ${max}`,
  );

const chainSchema = z.object({ chainId: z.number() });

/** Returns the chains that have claims to compare. */
export async function readDueChains(pool: pg.Pool): Promise<number[]> {
  const rows = await queryRows(pool, sql`SELECT DISTINCT d.chain_id FROM app.event_due d`, chainSchema);
  return rows.map(({ chainId }) => chainId);
}

/** Ids by the name of the source whose objects or transactions they are. */
type BySource = Readonly<Record<string, readonly string[]>>;

/** Objects and transactions that may have changed, and the blocks that they were found in. */
export interface Changed {
  /** Common ancestor of index and projection after a reorg; else the last projected block. */
  common: bigint;
  /** Transactions of which something changed behind it: those of the next blocks with about `max` changes, or of all. */
  hashes: BySource;
  /** Last block of the range that was searched. */
  to: bigint;
  /** False where more is left. */
  complete: boolean;
  /** Due objects, without those that wait for the name of a token. */
  ids: BySource;
  /** The rows of app.event_due, by which to delete them. */
  due: string[];
  /** Tokens that others wait for. */
  unnamed: Hex[];
}

const orNone = <T extends z.ZodType>(items: T) =>
  z
    .array(items)
    .nullable()
    .transform((all) => all ?? []);
const bySourceSchema = z.record(z.string(), orNone(z.string()));
const dueSchema = z.object({
  id: z.string(),
  claimId: z.string().nullable(),
  resource: z.enum(EVENT_RESOURCES).nullable(),
});
const changedSchema = z.object({
  common: z.coerce.bigint(),
  end: z.coerce.bigint().nullable(),
  hashes: bySourceSchema,
  due: orNone(dueSchema),
  unnamed: orNone(storedHex),
});

export interface ChangedRange {
  chainId: number;
  products: readonly string[];
  /** Last projected block, and last block that is final for the projector. */
  projected: bigint;
  verified: bigint;
  latest: bigint;
  /** Tokens whose names this process knows. */
  named: readonly Hex[];
  max: number;
}

/** Finds the common ancestor, the changes behind it and what is due: all that a step without work sends. */
export async function readChanged(
  client: pg.PoolClient,
  finds: readonly Find[],
  range: ChangedRange,
): Promise<Changed> {
  const { chainId, projected, latest, named, max } = range;
  const sources = finds.flatMap(({ name, changed }) => (changed ? [{ name, changed }] : []));
  const ends = sources.flatMap(({ changed }) => changed.map((table) => endOf(table, range)));
  const hashes = sources.map(
    ({ name, changed }) => sql`
      ${name}::text, (SELECT json_agg(t.tx_hash) FROM (${join(
        changed.map((table) => hashesOf(table, range)),
        " UNION ",
      )}) t)`,
  );
  const statement = sql`
    WITH common AS MATERIALIZED (
      SELECT least(coalesce((${firstDifference(chainId, range)}) - 1, ${projected}::bigint), ${latest}::bigint)::numeric AS n
    ), last AS MATERIALIZED (
      SELECT min(p.n) AS n FROM (${join(ends, " UNION ALL ")}) p WHERE p.changes >= ${max}
    )
    SELECT (SELECT n::text FROM common) AS common, (SELECT n::text FROM last) AS end, json_build_object(${join(hashes)}) AS hashes,
      (SELECT json_agg(json_build_object('id', d.id::text, 'claimId', d.claim_id, 'resource', d.resource)) FROM (
        SELECT d.id, d.claim_id, d.resource FROM app.event_due d
        WHERE d.chain_id = ${chainId} AND (d.waits_for IS NULL OR d.waits_for = ANY(${named}::text[]))
        ORDER BY d.id LIMIT ${raw(String(max))}) d) AS due,
      (SELECT json_agg(DISTINCT w.waits_for) FROM app.event_due w
        WHERE w.chain_id = ${chainId} AND w.waits_for IS NOT NULL AND w.waits_for <> ALL(${named}::text[])) AS unnamed`;
  const changed = await queryOne(client, plannedOnce(statement), changedSchema);
  const ids = finds.map(({ name, due }) => {
    const own = changed.due.filter(({ resource }) => due?.includes(resource));
    return [name, own.flatMap(({ claimId }) => claimId ?? [])];
  });
  return {
    common: changed.common,
    hashes: changed.hashes,
    to: changed.end ?? latest,
    complete: changed.end === null && changed.due.length < max,
    ids: Object.fromEntries(ids),
    due: changed.due.map(({ id }) => id),
    unnamed: changed.unnamed,
  };
}

/** Selects the last of the next `max` changes of a table. The number is in the text: a plan without it might sort all changes. */
const endOf = (table: ChangedTable, range: ChangedRange): Sql => sql`
  SELECT max(b.n) AS n, count(*) AS changes
  FROM (${changesOf(table, range, "n")} ORDER BY ${raw(`o.${table.block}`)} LIMIT ${raw(String(range.max))}) b`;

/** Selects the transactions of the changes of a table up to the `last` of all tables. */
const hashesOf = (table: ChangedTable, range: ChangedRange): Sql => sql`
  ${changesOf(table, range, "tx_hash")}
    AND ${raw(`o.${table.block}`)} <= coalesce((SELECT n FROM last), ${range.latest}::bigint::numeric)`;

function changesOf(
  { table, block, ofProducts = false }: ChangedTable,
  { chainId, products, latest }: ChangedRange,
  column: "n" | "tx_hash",
): Sql {
  const deployed = ofProducts ? sql`AND o.product_type = ANY(${products})` : empty;
  return sql`
    SELECT ${raw(column === "n" ? `o.${block} AS n` : "o.tx_hash")} FROM ${raw(`onchain.${table} o`)}
    WHERE o.chain_id = ${chainId} ${deployed} AND ${raw(`o.${block}`)} > (SELECT n FROM common)
      AND ${raw(`o.${block}`)} <= ${latest}::bigint::numeric`;
}

const differentSchema = z.object({ txHash: z.string().nullable(), ids: bySourceSchema });

/** Differences between the index and what the log last reported. */
export interface Different {
  /** Transactions, in the order of their hashes. */
  hashes: string[];
  ids: BySource;
}

/**
 * Returns what a reorg changed behind the log: transactions behind a block, in the order of their hashes, whose rows in the index differ
 * from the last reports of the log, or are in only one of the two; and objects without a transaction that differ.
 */
export async function readDifferent(
  client: pg.PoolClient,
  finds: readonly Find[],
  range: DifferentRange,
): Promise<Different> {
  const parts = finds.flatMap(({ different }) => different?.(range) ?? []);
  const ids = finds.flatMap(({ name, differentIds }) =>
    differentIds ? [sql`${name}::text, (${differentIds(range)})`] : [],
  );
  const statement = sql`
    SELECT k.ids, h.tx_hash FROM (SELECT json_build_object(${join(ids)}) AS ids) k LEFT JOIN (
      SELECT t.tx_hash FROM (${join(parts, " UNION ")}) t
      ORDER BY t.tx_hash LIMIT ${range.max}) h ON true
    ORDER BY h.tx_hash`;
  // Planned for its block: of unknown ones PostgreSQL would expect a third of all rows behind it.
  const rows = await queryRows(client, statement, differentSchema);
  return { hashes: rows.flatMap(({ txHash }) => txHash ?? []), ids: rows[0]?.ids ?? {} };
}
