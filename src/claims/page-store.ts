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
import { plannedOnce } from "../db/planned-once.ts";
import { encodeEventCursor } from "../input/event-cursor.ts";
import type { ListName } from "../input/list.ts";
import {
  changedAt,
  comparison,
  decodePosition,
  encodePosition,
  type ListOrder,
  NEWEST_FIRST,
  orderBySql,
  type Position,
  placeSql,
  updatedMs,
} from "./list-order.ts";
import { enterUnreported, headOf, isUnreported, omittedOfAll } from "./reported-store.ts";
import { type ClaimRows, type Range, settledCountSql, settledPageSql } from "./settled-page-store.ts";

/** Counting stops here: beyond it the number is of no use, and it would cost more than the page. */
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
  position_ms: z.coerce.number().optional(),
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
  const after =
    query.cursor === undefined ? null : decodePosition(query.name, NEWEST_FIRST, query.cursor, "cursor");
  const { data, ...read } = await readRows(prisma, query, after, options);
  const rows = data.filter((row) => row.claim_id !== null);
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const total = totalSchema.parse(data[0]).total;
  const { reported } = query;
  return {
    ...read,
    eventCursor: reported
      ? encodeEventCursor(reported, await enterUnreported(prisma, reported, data[0], shown))
      : null,
    data: {
      total: total === null ? null : Math.min(total, COUNTED_MAX),
      totalExact: total === null ? null : total <= COUNTED_MAX,
      rows: shown.map(present),
      nextCursor:
        last && rows.length > shown.length
          ? encodePosition(query.name, NEWEST_FIRST, positionOf(last))
          : null,
    },
  };
}

/** Reads from the archive where it can be used, else from the claims alone. */
async function readRows(
  prisma: PrismaClient,
  query: ListQuery,
  after: Position | null,
  options: ReadOptions,
): Promise<AtBlock<Record<string, unknown>[]>> {
  const { name, limit, page } = query;
  const offset = after ? 0n : BigInt(page - 1) * BigInt(limit);
  const range = { order: NEWEST_FIRST, after, limit, offset, countMax: after ? null : COUNTED_MAX + 1 };
  const settled = await readAtBlock(
    prisma,
    name.chainId,
    planned(query, settledPageSql(query, range)),
    options,
  );
  if (isUsable(settled.data)) return settled;
  return readAtBlock(prisma, name.chainId, pageSql(query, after), options);
}

/**
 * A key's rows without filters, or with those of a shape, are found by an index in the order of mapping, whatever the values. Of all keys,
 * or in the order of changes, the values choose between indexes: one that has the order would be read through for few rows.
 */
const planned = ({ settled, scope }: ClaimRows, statement: Prisma.Sql, { by } = NEWEST_FIRST): Prisma.Sql =>
  settled.counts && scope.keyId !== null && by === "createdAt" ? plannedOnce(statement) : statement;

const usableSchema = z.object({ usable: z.boolean() });
const isUsable = ([first]: unknown[]): boolean => usableSchema.parse(first).usable;

function positionOf(row: Record<string, unknown>): Position {
  const { claim_id, created_ms, log_index, position_ms } = placeSchema.parse(row);
  const updated = position_ms ?? null;
  return { claimId: claim_id, createdMs: created_ms, logIndex: log_index ?? -1, updatedMs: updated };
}

/** A part of a list across scopes: rows with their cursors, and whether more follow. */
export interface Slice<T> {
  rows: { cursor: string; row: T }[];
  hasNext: boolean;
}

interface SliceQuery extends ClaimRows {
  name: ListName;
  order: ListOrder;
  first: number;
  after: string | undefined;
}

/**
 * Returns the rows behind a cursor, of all scopes that `where` lets through, with the indexed blocks of their chains. In a list
 * that is sorted by changes, a row that changes moves.
 * @throws ApiError VALIDATION_FAILED (param `after`), and as readAtBlocks
 */
export async function readSlice<T>(
  prisma: PrismaClient,
  { name, order, first, after, ...rows }: SliceQuery,
  present: (row: Record<string, unknown>) => T,
): Promise<AtBlocks<Slice<T>>> {
  const place = after === undefined ? null : decodePosition(name, order, after, "after");
  const range = { order, after: place, limit: first, offset: 0n, countMax: null };
  const settled = await readAtBlocks(prisma, planned(rows, settledPageSql(rows, range), order));
  const { blocks, data: read } = isUsable(settled.data)
    ? settled
    : await readAtBlocks(prisma, rowsSql(rows, range));
  const data = read.filter((row) => row.claim_id !== null);
  const shown = data.slice(0, first);
  return {
    blocks,
    data: {
      rows: shown.map((row) => ({ cursor: encodePosition(name, order, positionOf(row)), row: present(row) })),
      hasNext: data.length > first,
    },
  };
}

/** Returns how many rows there are, at most COUNTED_MAX. */
export async function countRows(prisma: PrismaClient, rows: ClaimRows): Promise<number> {
  const count = (statement: Prisma.Sql) =>
    withDatabaseErrors(() => prisma.$queryRaw<unknown[]>(statement)).then(([counted]) => counted);
  const settled = await count(planned(rows, settledCountSql(rows, COUNTED_MAX)));
  const counted = isUsable([settled]) ? settled : await count(Prisma.sql`SELECT ${countSql(rows)} AS total`);
  return Math.min(totalSchema.parse(counted).total ?? 0, COUNTED_MAX);
}

function pageSql({ page, limit, ...rows }: ListQuery, after: Position | null): Prisma.Sql {
  const offset = after ? 0n : BigInt(page - 1) * BigInt(limit);
  const head = rows.reported
    ? Prisma.sql`, ${headOf(rows.reported)} AS event_sequence, ${omittedOfAll(rows.reported, rows, rows.where)} AS omitted`
    : Prisma.empty;
  return Prisma.sql`
    SELECT t.*, r.*
    FROM (SELECT ${after ? Prisma.sql`NULL::int` : countSql(rows)} AS total ${head}) t
    LEFT JOIN (${rowsSql(rows, { order: NEWEST_FIRST, after, limit, offset })}) r ON true`;
}

/** Selects a page in two steps, so that skipped rows cost no columns: finds its rows and one more, then reads their columns. */
function rowsSql(rows: ClaimRows, { order, after, limit, offset }: Omit<Range, "countMax">): Prisma.Sql {
  const { columns, joins, reported } = rows;
  const upToPage = offset + BigInt(limit + 1);
  const updated = order.by === "updatedAt" ? Prisma.sql`${changedAt} AS updated_at,` : Prisma.empty;
  const sorted = orderBySql(order);
  const found = searches(rows).map(
    (where) => Prisma.sql`(
      SELECT ${updated} c.created_at, c.claim_id, coalesce(o.log_index, -1) AS log_index
      FROM app.transaction_claim c ${joins}
      WHERE ${where} ${after ? Prisma.sql`AND ${behind(order, after)}` : Prisma.empty}
      ${orderByClaims(order)}
      LIMIT ${upToPage})`,
  );
  return Prisma.sql`
    SELECT p.* ${updatedMs(order)} ${reported ? Prisma.sql`, ${isUnreported("p", reported)} AS unreported` : Prisma.empty}
    FROM (
      SELECT found.* FROM (${Prisma.join(found, " UNION ALL ")}) found
      ${sorted}
      LIMIT ${limit + 1} OFFSET ${offset}
    ) page
    JOIN app.transaction_claim c ON c.claim_id = page.claim_id ${joins}
    CROSS JOIN LATERAL (SELECT ${columns} OFFSET 0) p
    WHERE coalesce(o.log_index, -1) = page.log_index
    ${orderByClaims(order)}`;
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

/** Returns the columns of list-order.ts, of a claim and what is indexed of it. */
const claimColumns = ({ by }: ListOrder): Prisma.Sql[] => [
  ...(by === "updatedAt" ? [changedAt] : []),
  ...[Prisma.sql`c.created_at`, Prisma.sql`c.claim_id`, Prisma.sql`coalesce(o.log_index, -1)`],
];

function orderByClaims(order: ListOrder): Prisma.Sql {
  const direction = Prisma.raw(order.direction.toUpperCase());
  const columns = claimColumns(order).map((column) => Prisma.sql`${column} ${direction}`);
  return Prisma.sql`ORDER BY ${Prisma.join(columns, ", ")}`;
}

function behind(order: ListOrder, place: Position): Prisma.Sql {
  const isBehind = Prisma.sql`(${Prisma.join(claimColumns(order), ", ")}) ${comparison(order)} (${placeSql(order, place)})`;
  if (order.by === "updatedAt") return isBehind;
  // Says no more than the other comparison, but of the claim alone: an index begins at it.
  const start = Prisma.sql`(c.created_at, c.claim_id) ${comparison(order)}= (${new Date(place.createdMs)}, ${place.claimId}::uuid)`;
  return Prisma.sql`${start} AND ${isBehind}`;
}

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

/** Returns the condition that something changed after a time, Unix seconds. */
export const changedAfter = (time: number | undefined): Prisma.Sql[] =>
  time === undefined ? [] : [Prisma.sql`${changedAt} > ${new Date(time * 1000)}`];
