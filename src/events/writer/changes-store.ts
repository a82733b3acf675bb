import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { CASH_SOURCE, type IndexSource, ORDER_SOURCE, STOCK_SOURCE } from "../../claims/indexed-rows.ts";
import { BUILD_ID, blockOf } from "../../db/checkpoint.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { Prisma } from "../../db/generated/client.ts";
import { prepared } from "../../db/prepared.ts";
import type { Statement } from "../../db/select.ts";
import { EVENT_RESOURCES } from "../../protocol/enums.ts";
import { storedHex } from "../../protocol/shapes.ts";
import type { SeenRow } from "./compare.ts";

/** Finds what may have to be reported, in the transaction that reports it. */

/** Runs a statement of the log, planned once per connection: planning takes longer than what most of them do. */
export async function select(
  client: pg.Pool | pg.PoolClient,
  { text, values }: Statement,
): Promise<Record<string, unknown>[]> {
  if (!marked.has(text)) marked.add(prepared(text));
  const { rows } = await withDatabaseErrors<pg.QueryResult<Record<string, unknown>>>(() =>
    client.query(text, values),
  );
  return rows;
}

/** The texts are few: arguments are no part of them. */
const marked = new Set<string>();

/** How far the log and the rows of a chain are: its row of app.event_chain. */
export interface LogState {
  block: bigint;
  verified: bigint;
  /** Null before the first step. */
  buildId: string | null;
  filled: boolean;
  /** The place of the comparison of all claims with their rows: the last claim's id, in the order of ids; null where none is under way. */
  filledTo: string | null;
}

/** How far index and log of a chain are. */
export interface ChainState {
  buildId: string;
  /** The last block that is final for the indexer. */
  safe: bigint;
  latest: bigint;
  /** False where the views of the index are of a build that keeps no blocks: one of release 0.2.0. */
  hasBlocks: boolean;
  /** Null before the log of the chain has begun. */
  log: LogState | null;
}

const stateSchema = z.object({
  build_id: z.string(),
  safe_checkpoint: z.string(),
  latest_checkpoint: z.string(),
  has_blocks: z.boolean(),
  log: z
    .object({
      block_number: z.coerce.bigint(),
      verified_block: z.coerce.bigint(),
      build_id: z.string().nullable(),
      filled: z.boolean(),
      filled_to: z.string().nullable(),
    })
    .nullable(),
});

/**
 * Reads how far a chain is, and locks its log until the transaction ends. So there is one writer at a time, and sequences follow each
 * other in the order of commits: where another has written since this transaction's snapshot, the lock fails.
 * @returns null where the chain is not indexed, or the index is not ready
 * @throws ApiError INDEXER_BEHIND
 */
export async function lockChain(client: pg.PoolClient, chainId: number): Promise<ChainState | null> {
  const [row] = await select(
    client,
    Prisma.sql`
      SELECT b.build_id, p.safe_checkpoint, p.latest_checkpoint, to_regclass('onchain.event_block') IS NOT NULL AS has_blocks, e.log
      FROM (SELECT ${BUILD_ID} AS build_id) b CROSS JOIN onchain._ponder_checkpoint p
      LEFT JOIN LATERAL (
        SELECT to_jsonb(c) AS log FROM app.event_chain c WHERE c.chain_id = p.chain_id FOR UPDATE) e ON true
      WHERE p.chain_id = ${chainId} AND b.build_id IS NOT NULL`,
  );
  if (!row) return null;
  const parsed = stateSchema.parse(row);
  const [safe, latest] = [blockOf(parsed.safe_checkpoint), blockOf(parsed.latest_checkpoint)];
  if (!safe || !latest) return null;
  return {
    ...{ buildId: parsed.build_id, safe: safe.number, latest: latest.number, hasBlocks: parsed.has_blocks },
    log: parsed.log && toLogState(parsed.log),
  };
}

const toLogState = (log: NonNullable<z.output<typeof stateSchema>["log"]>): LogState => ({
  block: log.block_number,
  verified: log.verified_block,
  buildId: log.build_id,
  filled: log.filled,
  filledTo: log.filled_to,
});

/** Less than every claim's id. */
export const FIRST_CLAIM = "00000000-0000-0000-0000-000000000000";

const idSchema = z.object({ claim_id: z.string() });

/** Returns the claims that rows name. */
export const claimIdsOf = (rows: readonly Record<string, unknown>[]): string[] =>
  rows.map((row) => idSchema.parse(row).claim_id);

/** Returns the next claims of a chain behind one, in the order of their ids. */
export async function readNextClaims(
  client: pg.PoolClient,
  { chainId, after, max }: { chainId: number; after: string; max: number },
): Promise<string[]> {
  const rows = await select(
    client,
    Prisma.sql`
      SELECT c.claim_id::text AS claim_id FROM app.transaction_claim c
      WHERE c.chain_id = ${chainId} AND c.claim_id > ${after}::uuid ORDER BY c.claim_id LIMIT ${max}`,
  );
  return claimIdsOf(rows);
}

/** Returns those of some claims that are due. */
export async function readDueOf(
  client: pg.PoolClient,
  chainId: number,
  claimIds: readonly string[],
): Promise<string[]> {
  const rows = await select(
    client,
    Prisma.sql`
      SELECT DISTINCT d.claim_id::text AS claim_id FROM app.event_due d
      WHERE d.chain_id = ${chainId} AND d.claim_id = ANY(${claimIds}::uuid[])`,
  );
  return claimIdsOf(rows);
}

/**
 * Locks the log of a chain while it has no row of its own, until the transaction ends: for appends before it has one, and for the insert
 * of that row.
 */
export const logLock = (chainId: number): Prisma.Sql =>
  Prisma.sql`pg_advisory_xact_lock(hashtextextended(${`events ${chainId}`}, 0))`;

/** Begins the log of a chain, behind those who append to it: what was final before is history, and no event. */
export async function createEventChain(
  pool: pg.Pool,
  chainId: number,
  { safe }: Pick<ChainState, "safe">,
): Promise<void> {
  await select(
    pool,
    Prisma.sql`
      WITH locked AS MATERIALIZED (SELECT ${logLock(chainId)})
      INSERT INTO app.event_chain (chain_id, block_number, verified_block)
      SELECT ${chainId}::int, ${safe}::bigint, ${safe}::bigint FROM locked ON CONFLICT DO NOTHING`,
  );
}

/** Claims that are due, and the rows by which to delete that. */
export interface Due {
  ids: string[];
  claimIds: string[];
  /** Requests to send whose replies changed. */
  requestIds: string[];
  /** Keys whose delegations may have changed. */
  keyIds: string[];
  seen: SeenRow[];
  /** Tokens that others wait for. */
  unnamed: Hex[];
}

const dueSchema = z.object({
  id: z.string(),
  claim_id: z.string(),
  seen: z.coerce.bigint().nullable(),
  resource: z.enum(EVENT_RESOURCES).nullable(),
  ordinal: z.number().nullable(),
});
const unnamedSchema = z.object({ unnamed: z.array(storedHex).nullable() });

const chainSchema = z.object({ chain_id: z.number() });

/** Returns the chains that have claims to compare. */
export async function readDueChains(pool: pg.Pool): Promise<number[]> {
  const rows = await select(pool, Prisma.sql`SELECT DISTINCT d.chain_id FROM app.event_due d`);
  return rows.map((row) => chainSchema.parse(row).chain_id);
}

/** Reads what is due and does not wait for the name of a token. @param named tokens whose names this process knows */
export async function readDue(
  client: pg.PoolClient,
  { chainId, named, max }: { chainId: number; named: readonly Hex[]; max: number },
): Promise<Due> {
  const rows = await select(
    client,
    Prisma.sql`
      SELECT d.*, t.unnamed FROM (
        SELECT json_agg(DISTINCT w.waits_for) AS unnamed FROM app.event_due w
        WHERE w.chain_id = ${chainId} AND w.waits_for IS NOT NULL AND w.waits_for <> ALL(${named}::text[])) t
      LEFT JOIN (
        SELECT d.id::text AS id, d.claim_id::text AS claim_id, d.seen::text AS seen, d.resource, d.ordinal
        FROM app.event_due d
        WHERE d.chain_id = ${chainId} AND (d.waits_for IS NULL OR d.waits_for = ANY(${named}::text[]))
        ORDER BY d.id LIMIT ${max}) d ON true`,
  );
  const parsed = rows.filter(({ id }) => id !== null).map((row) => dueSchema.parse(row));
  const idsOf = (rows: typeof parsed) => [...new Set(rows.map(({ claim_id }) => claim_id))];
  return {
    ids: parsed.map(({ id }) => id),
    claimIds: idsOf(parsed.filter(({ resource }) => resource !== "sends" && resource !== "1ct/status")),
    keyIds: idsOf(parsed.filter(({ resource }) => resource === "1ct/status")),
    requestIds: idsOf(parsed.filter(({ resource }) => resource === "sends")),
    seen: parsed.flatMap(({ claim_id, seen, resource, ordinal }) =>
      seen === null || resource === null || ordinal === null
        ? []
        : [{ claimId: claim_id, resource, ordinal, sequence: seen }],
    ),
    unnamed: unnamedSchema.parse(rows[0]).unnamed ?? [],
  };
}

/** Where the index has what lists show. */
export const SOURCES: readonly (IndexSource & { id: string })[] = [
  { ...ORDER_SOURCE, id: "order_id" },
  { ...CASH_SOURCE, id: "op_id" },
  { ...STOCK_SOURCE, id: "op_id" },
];

/** Transactions of which something changed, and the last block that was looked at. */
export interface Changed {
  hashes: string[];
  /** Transactions that changed multipliers. */
  multipliers: string[];
  to: bigint;
  complete: boolean;
}

const hashesSchema = z
  .array(z.string())
  .nullable()
  .transform((hashes) => hashes ?? []);
const changedSchema = z.object({
  hashes: hashesSchema,
  multipliers: hashesSchema,
  end: z.coerce.bigint().nullable(),
});

interface ChangeSource {
  /** A table of `onchain`, and its column with the block of the last change. */
  table: string;
  block: string;
  where?: Prisma.Sql;
}

/**
 * Returns the transactions of which something changed behind a block: those of the next blocks with about `max` changes, or
 * of all. A suffix counts too: it may decide who owns what another transaction did.
 */
export async function readChanged(client: pg.PoolClient, range: ChangedRange): Promise<Changed> {
  const { products, latest, max } = range;
  const ofProducts = Prisma.sql`o.product_type = ANY(${products})`;
  const suffixes = { table: "attribution_suffix", block: "block_number", where: ofProducts };
  const claimed = [...SOURCES, suffixes].map((source) => changesOf(source, range));
  const multipliers = changesOf({ table: "multiplier_change", block: "block_number" }, range);
  const [row] = await select(
    client,
    Prisma.sql`
      WITH last AS MATERIALIZED (
        SELECT min(p.n) AS n FROM (${Prisma.join(
          [...claimed, multipliers].map(({ end }) => end),
          " UNION ALL ",
        )}) p WHERE p.changes >= ${max})
      SELECT (SELECT n::text FROM last) AS end, (
        SELECT json_agg(t.tx_hash) FROM (${Prisma.join(
          claimed.map(({ hashes }) => hashes),
          " UNION ",
        )}) t) AS hashes, (SELECT json_agg(DISTINCT t.tx_hash) FROM (${multipliers.hashes}) t) AS multipliers`,
  );
  const { hashes, multipliers: changing, end } = changedSchema.parse(row);
  return { hashes, multipliers: changing, to: end ?? latest, complete: end === null };
}

/** Selects the last of the next `max` changes of a table, and the transactions of its changes up to the `last` of all tables. */
function changesOf(
  { table, block, where = Prisma.sql`true` }: ChangeSource,
  { chainId, from, latest, max }: ChangedRange,
): { end: Prisma.Sql; hashes: Prisma.Sql } {
  const column = Prisma.raw(`o.${block}`);
  const rows = (columns: Prisma.Sql, end: Prisma.Sql) => Prisma.sql`
    SELECT ${columns} FROM ${Prisma.raw(`onchain.${table}`)} o
    WHERE o.chain_id = ${chainId} AND ${where} AND ${column} > ${String(from)}::numeric ${end}`;
  return {
    end: Prisma.sql`
      SELECT max(b.n) AS n, count(*) AS changes
      FROM (${rows(Prisma.sql`${column} AS n`, Prisma.sql`ORDER BY ${column} LIMIT ${max}`)}) b`,
    hashes: rows(
      Prisma.sql`o.tx_hash`,
      Prisma.sql`AND ${column} <= coalesce((SELECT n FROM last), ${String(latest)}::numeric)`,
    ),
  };
}

export interface ChangedRange {
  chainId: number;
  products: readonly string[];
  /** Everything up to this block is known. */
  from: bigint;
  latest: bigint;
  max: number;
}
