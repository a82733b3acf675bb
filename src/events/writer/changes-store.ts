import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { plannedOnce } from "../../db/planned-once.ts";
import { queryOne, queryRows } from "../../db/query.ts";
import { empty, join, raw, type Sql, sql } from "../../db/sql.ts";
import { EVENT_RESOURCES } from "../../protocol/enums.ts";
import { storedHex } from "../../protocol/shapes.ts";
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

/** The objects that are due. */
export interface Due {
  /** The rows of app.event_due, by which to delete them. */
  rowIds: string[];
  ids: BySource;
  /** Tokens that others wait for. */
  unnamed: Hex[];
}

const dueSchema = z.object({
  id: z.string().nullable(),
  claimId: z.string().nullable(),
  resource: z.enum(EVENT_RESOURCES).nullable(),
  unnamed: z.array(storedHex).nullable(),
});

/** Reads what is due and does not wait for the name of a token. @param range.named tokens whose names this process knows */
export async function readDue(
  client: pg.PoolClient,
  finds: readonly Find[],
  { chainId, named, max }: { chainId: number; named: readonly Hex[]; max: number },
): Promise<Due> {
  const statement = sql`
    SELECT d.*, t.unnamed FROM (
      SELECT json_agg(DISTINCT w.waits_for) AS unnamed FROM app.event_due w
      WHERE w.chain_id = ${chainId} AND w.waits_for IS NOT NULL AND w.waits_for <> ALL(${named}::text[])) t
    LEFT JOIN (
      SELECT d.id::text AS id, d.claim_id::text AS claim_id, d.resource FROM app.event_due d
      WHERE d.chain_id = ${chainId} AND (d.waits_for IS NULL OR d.waits_for = ANY(${named}::text[]))
      ORDER BY d.id LIMIT ${max}) d ON true`;
  const rows = await queryRows(client, statement, dueSchema);
  const ids = finds.map(({ name, due }) => {
    const own = rows.filter(({ resource }) => due?.includes(resource));
    return [name, own.flatMap(({ claimId }) => claimId ?? [])];
  });
  return {
    rowIds: rows.flatMap(({ id }) => id ?? []),
    ids: Object.fromEntries(ids),
    unnamed: rows[0]?.unnamed ?? [],
  };
}

/** Transactions of which something changed, and the last block that was looked at. */
export interface Changed {
  hashes: BySource;
  to: bigint;
  complete: boolean;
}

const bySourceSchema = z.record(
  z.string(),
  z
    .array(z.string())
    .nullable()
    .transform((ids) => ids ?? []),
);
const changedSchema = z.object({ hashes: bySourceSchema, end: z.coerce.bigint().nullable() });

export interface ChangedRange {
  chainId: number;
  products: readonly string[];
  /** Everything up to this block is known. */
  from: bigint;
  latest: bigint;
  max: number;
}

/**
 * Returns the transactions of which something changed behind a block: those of the next blocks with about `max` changes, or
 * of all.
 */
export async function readChanged(
  client: pg.PoolClient,
  finds: readonly Find[],
  range: ChangedRange,
): Promise<Changed> {
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
    WITH last AS MATERIALIZED (
      SELECT min(p.n) AS n FROM (${join(ends, " UNION ALL ")}) p WHERE p.changes >= ${range.max})
    SELECT (SELECT n::text FROM last) AS end, json_build_object(${join(hashes)}) AS hashes`;
  const changed = await queryOne(client, plannedOnce(statement), changedSchema);
  return { hashes: changed.hashes, to: changed.end ?? range.latest, complete: changed.end === null };
}

/** Selects the last of the next `max` changes of a table. The number is in the text: a plan without it might sort all changes. */
const endOf = (table: ChangedTable, range: ChangedRange): Sql => sql`
  SELECT max(b.n) AS n, count(*) AS changes
  FROM (${changesOf(table, range, "n")} ORDER BY ${raw(`o.${table.block}`)} LIMIT ${raw(String(range.max))}) b`;

/** Selects the transactions of the changes of a table up to the `last` of all tables. */
const hashesOf = (table: ChangedTable, range: ChangedRange): Sql => sql`
  ${changesOf(table, range, "tx_hash")}
    AND ${raw(`o.${table.block}`)} <= coalesce((SELECT n FROM last), ${String(range.latest)}::numeric)`;

function changesOf(
  { table, block, ofProducts = false }: ChangedTable,
  { chainId, products, from, latest }: ChangedRange,
  column: "n" | "tx_hash",
): Sql {
  const deployed = ofProducts ? sql`AND o.product_type = ANY(${products})` : empty;
  return sql`
    SELECT ${raw(column === "n" ? `o.${block} AS n` : "o.tx_hash")} FROM ${raw(`onchain.${table} o`)}
    WHERE o.chain_id = ${chainId} ${deployed} AND ${raw(`o.${block}`)} > ${String(from)}::numeric
      AND ${raw(`o.${block}`)} <= ${String(latest)}::numeric`;
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
  const rows = await queryRows(client, statement, differentSchema);
  return { hashes: rows.flatMap(({ txHash }) => txHash ?? []), ids: rows[0]?.ids ?? {} };
}
