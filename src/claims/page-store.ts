import { z } from "zod";
import {
  type AtBlock,
  type AtBlocks,
  type ReadOptions,
  readAtBlock,
  readAtBlocks,
} from "../db/checkpoint.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { Prisma } from "../db/generated/client.ts";
import { encodeEventCursor } from "../input/event-cursor.ts";
import { decodeCursor, encodeCursor, type ListName, type SortKey } from "../input/list.ts";
import { type ClaimRows, settledCountSql, settledPageSql } from "./settled-page-store.ts";
import { enterUntold, headOf, isUntold, omittedOfAll } from "./told-store.ts";

/** Counting stops here: beyond it nobody needs the number, and it would cost more than the page. */
const COUNTED_MAX = 10_000;

/** A list of one scope. */
export interface ListQuery extends ClaimRows {
  name: ListName & { chainId: number };
  page: number;
  limit: number;
  cursor?: string | undefined;
}

/** A page of a list (docs/api.md#lists). */
export interface Page<T> {
  total: number | null;
  totalExact: boolean | null;
  rows: T[];
  nextCursor: string | null;
}

const totalSchema = z.object({ total: z.number().nullable() });
const placeSchema = z.object({
  claim_id: z.string(),
  created_ms: z.coerce.number(),
  log_index: z.number().nullable(),
});

/**
 * Reads one page, its total and the block it is of in one statement. Newest mapping first; the key (time, claim, log
 * index) is unique, so a cursor neither repeats nor misses a row while others arrive. Where the log of events was at that
 * moment comes with it.
 * @throws ApiError VALIDATION_FAILED (param `cursor`), and as readAtBlock
 */
export async function readPage<T>(
  prisma: PrismaClient,
  query: ListQuery,
  present: (row: Record<string, unknown>) => T,
  options: ReadOptions = {},
): Promise<AtBlock<Page<T>> & { eventCursor: string | null }> {
  const after = query.cursor === undefined ? null : decodeCursor(query.name, query.cursor);
  const { data, ...read } = await readRows(prisma, query, after, options);
  const rows = data.filter((row) => row.claim_id !== null);
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const total = totalSchema.parse(data[0]).total;
  const { told } = query;
  return {
    ...read,
    eventCursor: told ? encodeEventCursor(told, await enterUntold(prisma, told, data[0], shown)) : null,
    data: {
      total: total === null ? null : Math.min(total, COUNTED_MAX),
      totalExact: total === null ? null : total <= COUNTED_MAX,
      rows: shown.map(present),
      nextCursor: last && rows.length > shown.length ? encodeCursor(query.name, sortKeyOf(last)) : null,
    },
  };
}

/** Reads from the archive where it can be used, else from the claims alone. */
async function readRows(
  prisma: PrismaClient,
  query: ListQuery,
  after: SortKey | null,
  options: ReadOptions,
): Promise<AtBlock<Record<string, unknown>[]>> {
  const { name, limit, page } = query;
  const offset = after ? 0n : BigInt(page - 1) * BigInt(limit);
  const range = { after, limit, offset, countMax: after ? null : COUNTED_MAX + 1 };
  const settled = await readAtBlock(prisma, name.chainId, settledPageSql(query, range), options);
  if (isUsable(settled.data)) return settled;
  return readAtBlock(prisma, name.chainId, pageSql(query, after), options);
}

const usableSchema = z.object({ usable: z.boolean() });
const isUsable = ([first]: unknown[]): boolean => usableSchema.parse(first).usable;

function sortKeyOf(row: Record<string, unknown>): SortKey {
  const { claim_id, created_ms, log_index } = placeSchema.parse(row);
  return { claimId: claim_id, createdMs: created_ms, logIndex: log_index ?? -1 };
}

/** A part of a list across scopes: rows with their cursors, and whether more follow. */
export interface Slice<T> {
  rows: { cursor: string; row: T }[];
  hasNext: boolean;
}

interface SliceQuery extends ClaimRows {
  name: ListName;
  first: number;
  after: string | undefined;
}

/**
 * Returns the rows behind a cursor, of all scopes that `where` lets through, with the indexed blocks of their chains; in the
 * order of readPage.
 * @throws ApiError VALIDATION_FAILED (param `after`), and as readAtBlocks
 */
export async function readSlice<T>(
  prisma: PrismaClient,
  { name, first, after, ...rows }: SliceQuery,
  present: (row: Record<string, unknown>) => T,
): Promise<AtBlocks<Slice<T>>> {
  const place = after === undefined ? null : decodeCursor(name, after, "after");
  const range = { after: place, limit: first, offset: 0n, countMax: null };
  const settled = await readAtBlocks(prisma, settledPageSql(rows, range));
  const { blocks, data: read } = isUsable(settled.data)
    ? settled
    : await readAtBlocks(prisma, rowsSql(rows, place, first, 0n));
  const data = read.filter((row) => row.claim_id !== null);
  const shown = data.slice(0, first);
  return {
    blocks,
    data: {
      rows: shown.map((row) => ({ cursor: encodeCursor(name, sortKeyOf(row)), row: present(row) })),
      hasNext: data.length > first,
    },
  };
}

/** Returns how many rows there are, at most COUNTED_MAX. */
export async function countRows(prisma: PrismaClient, rows: ClaimRows): Promise<number> {
  const count = (statement: Prisma.Sql) =>
    withDatabaseErrors(() => prisma.$queryRaw<unknown[]>(statement)).then(([counted]) => counted);
  const settled = await count(settledCountSql(rows, COUNTED_MAX));
  const counted = isUsable([settled]) ? settled : await count(Prisma.sql`SELECT ${countSql(rows)} AS total`);
  return Math.min(totalSchema.parse(counted).total ?? 0, COUNTED_MAX);
}

function pageSql({ page, limit, ...rows }: ListQuery, after: SortKey | null): Prisma.Sql {
  const offset = after ? 0n : BigInt(page - 1) * BigInt(limit);
  const head = rows.told
    ? Prisma.sql`, ${headOf(rows.told)} AS event_sequence, ${omittedOfAll(rows.told, rows, rows.where)} AS omitted`
    : Prisma.empty;
  return Prisma.sql`
    SELECT t.*, r.*
    FROM (SELECT ${after ? Prisma.sql`NULL::int` : countSql(rows)} AS total ${head}) t
    LEFT JOIN (${rowsSql(rows, after, limit, offset)}) r ON true`;
}

/** First the rows are found, one more than asked for, then their columns are worked out: none for what is skipped. */
function rowsSql(rows: ClaimRows, after: SortKey | null, limit: number, offset: bigint): Prisma.Sql {
  const { columns, joins, told } = rows;
  const upToPage = offset + BigInt(limit + 1);
  const found = searches(rows).map(
    (where) => Prisma.sql`(
      SELECT c.created_at, c.claim_id, coalesce(o.log_index, -1) AS log_index
      FROM app.transaction_claim c ${joins}
      WHERE ${where} ${after ? Prisma.sql`AND ${behind(after)}` : Prisma.empty}
      ORDER BY c.created_at DESC, c.claim_id DESC, coalesce(o.log_index, -1) DESC
      LIMIT ${upToPage})`,
  );
  return Prisma.sql`
    SELECT p.* ${told ? Prisma.sql`, ${isUntold("p", told)} AS untold` : Prisma.empty}
    FROM (
      SELECT found.* FROM (${Prisma.join(found, " UNION ALL ")}) found
      ORDER BY found.created_at DESC, found.claim_id DESC, found.log_index DESC
      LIMIT ${limit + 1} OFFSET ${offset}
    ) page
    JOIN app.transaction_claim c ON c.claim_id = page.claim_id ${joins}
    CROSS JOIN LATERAL (SELECT ${columns} OFFSET 0) p
    WHERE coalesce(o.log_index, -1) = page.log_index
    ORDER BY c.created_at DESC, c.claim_id DESC, coalesce(o.log_index, -1) DESC`;
}

const searches = ({ where, either }: ClaimRows): Prisma.Sql[] =>
  either ? either.map((condition) => Prisma.sql`${where} AND ${condition}`) : [where];

function countSql(rows: ClaimRows): Prisma.Sql {
  const found = searches(rows).map(
    (where) => Prisma.sql`SELECT 1 FROM app.transaction_claim c ${rows.joins} WHERE ${where}`,
  );
  return Prisma.sql`
    (SELECT count(*)::int FROM (${Prisma.join(found, " UNION ALL ")} LIMIT ${COUNTED_MAX + 1}) counted)`;
}

/** The first comparison says no more than the second, but of the claim alone: an index begins at it. */
const behind = ({ createdMs, claimId, logIndex }: SortKey): Prisma.Sql => Prisma.sql`
  (c.created_at, c.claim_id) <= (${new Date(createdMs)}, ${claimId}::uuid)
  AND (c.created_at, c.claim_id, coalesce(o.log_index, -1)) < (${new Date(createdMs)}, ${claimId}::uuid, ${logIndex}::int)`;

/** Returns the condition that a column has a value; none where there is no such value. */
export const equal = (column: Prisma.Sql, value: string | undefined): Prisma.Sql[] =>
  value === undefined ? [] : [Prisma.sql`${column} = ${value}`];

/** Returns the condition that a claim `c`, or a settled row `s`, was mapped within a span of Unix seconds, both ends included. */
export function mappedWithin(
  alias: "c" | "s",
  { from, to }: { from?: number | undefined; to?: number | undefined },
): Prisma.Sql[] {
  const createdAt = Prisma.raw(`${alias}.created_at`);
  return [
    ...(from === undefined ? [] : [Prisma.sql`${createdAt} >= ${new Date(from * 1000)}`]),
    ...(to === undefined ? [] : [Prisma.sql`${createdAt} < ${new Date((to + 1) * 1000)}`]),
  ];
}

/**
 * When an order or operation last changed for its key, never before it was mapped: only then could its key see it, and who
 * asks for what is new must not miss it. Of what is not indexed, the claim's own last change; greatest passes over NULL.
 */
export const changedAt = Prisma.sql`
  greatest(c.created_at, to_timestamp(o.updated_at::float8), CASE WHEN o.updated_at IS NULL THEN c.updated_at END)`;

/** Returns the condition that something changed after a time, Unix seconds. */
export const changedAfter = (time: number | undefined): Prisma.Sql[] =>
  time === undefined ? [] : [Prisma.sql`${changedAt} > ${new Date(time * 1000)}`];
