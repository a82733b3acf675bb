import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import { encodeEventCursor } from "../context/input/event-cursor.ts";
import type { ListName } from "../context/input/list.ts";
import type { BlockRead } from "../context/request.ts";
import type { AtBlocks } from "../db/checkpoint.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { plannedOnce } from "../db/planned-once.ts";
import { queryJoined, queryMaybeOne, queryOne } from "../db/query.ts";
import { markVersioned } from "../db/replica-source.ts";
import { raw, type Sql, sql } from "../db/sql.ts";
import { ApiError } from "../protocol/errors.ts";
import {
  decodePosition,
  encodePosition,
  type ListOrder,
  NEWEST_FIRST,
  orderBySql,
  type Position,
} from "./list-order.ts";
import { type ListScope, listScopeOf } from "./list-scope.ts";
import { countSql, pageItems, type Range, type RowSearch, rowsOfPage } from "./list-search.ts";
import { type KeyState, keyStateSql, stateOf } from "./shown.ts";

/** Reads lists of what keys see (docs/lists.md). */

/** Counting stops here: beyond it the number is of no use, and it would cost more than the page. */
const COUNTED_MAX = 10_000;

/** Columns that every row of a list has. */
export interface ListedRow {
  claimId: string;
  createdAt: Date;
  updatedAt: Date;
  logIndex: number;
}

/** A list of orders or of operations. */
export interface RowList<Row extends ListedRow> extends RowSearch {
  /** The columns of a row `s`. */
  columns: Sql;
  schema: z.ZodType<Row>;
}

type ReadDeps = Pick<Deps, "prisma" | "pool">;

/** A list of what one viewer sees. */
export interface KeyList<Row extends ListedRow> extends RowList<Row> {
  name: ListName & { chainId: number };
  page: number;
  limit: number;
  cursor?: string | undefined;
  /** Unix seconds. */
  from?: number | undefined;
  to?: number | undefined;
  /** Reads rows by the query API; left out where the list has a filter that it finds no index for. */
  findMany?: FindMany<Row> | undefined;
  /** True where what is listed depends on more than the rows of the key. */
  isUnversioned?: boolean;
}

export type FindMany<Row> = (prisma: ReadDeps["prisma"], page: KeyPage) => Promise<(Row & StateColumns)[]>;

type StateColumns = Parameters<typeof stateOf>[0];

/** Arguments of the query API for the first rows of a key behind a position, newest first. */
interface KeyPage {
  where: {
    keyId: string;
    chainId: number;
    productType: string;
    createdAt: { gte?: Date; lt?: Date; lte?: Date };
    OR?: { createdAt: Date | { lt: Date }; claimId?: string | { lt: string }; logIndex?: { lt: number } }[];
  };
  orderBy: [{ createdAt: "desc" }, { claimId: "desc" }, { logIndex: "desc" }];
  take: number;
}

/** A page of a list (docs/api.md#lists). */
export interface Page<T> {
  total: number | null;
  totalExact: boolean | null;
  rows: T[];
  nextCursor: string | null;
}

/** A page, and what it is of. */
interface Found<Row> {
  rows: Row[];
  /** Null behind a cursor. */
  total: number | null;
  /** Null where the rows are not of one key. */
  state: KeyState | null;
  block: { number: bigint };
}

/**
 * Reads one page and its total, newest mapping first; the key (time, claim, log index) is unique, so a cursor neither repeats nor misses
 * a row while others arrive. Block, version and position in the log are those of the rows (docs/projection.md#reads).
 * @throws ApiError VALIDATION_FAILED (param `cursor`), INDEXER_BEHIND, DATABASE_UNAVAILABLE
 */
export async function readPage<Row extends ListedRow, T>(
  deps: ReadDeps,
  viewer: Viewer,
  list: KeyList<Row>,
  present: (row: Row) => T,
): Promise<BlockRead<Page<T>> & { eventCursor: string | null; version: string | null }> {
  const { name, limit, cursor } = list;
  const after = cursor === undefined ? null : decodePosition(name, NEWEST_FIRST, cursor, "cursor");
  const found = await findPage(deps, viewer, list, after);
  const { total, state, block } = found;
  const shown = found.rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    block,
    version: list.isUnversioned || !state ? null : state.version,
    eventCursor:
      state && viewer.keyId !== null
        ? encodeEventCursor({ ...viewer, keyId: viewer.keyId }, state.sequence)
        : null,
    data: {
      total: total === null ? null : Math.min(total, COUNTED_MAX),
      totalExact: total === null ? null : total <= COUNTED_MAX,
      rows: shown.map(present),
      nextCursor:
        last && found.rows.length > limit ? encodePosition(name, NEWEST_FIRST, positionOf(last)) : null,
    },
  };
}

const positionOf = ({ claimId, createdAt, updatedAt, logIndex }: ListedRow): Position => ({
  claimId,
  logIndex,
  createdMs: createdAt.getTime(),
  updatedMs: updatedAt.getTime(),
});

async function findPage<Row extends ListedRow>(
  deps: ReadDeps,
  viewer: Viewer,
  list: KeyList<Row>,
  after: Position | null,
): Promise<Found<Row>> {
  const { page, limit, findMany } = list;
  const range = {
    order: NEWEST_FIRST,
    after,
    take: limit + 1,
    offset: after ? 0n : BigInt(page - 1) * BigInt(limit),
  };
  const { keyId } = viewer;
  // The query API would compute the columns of all rows that it passes over.
  if (findMany && keyId !== null && range.offset === 0n) {
    const found = await findBoth(deps, { ...viewer, keyId }, { ...list, findMany }, range);
    if (found) return found;
  }
  return findAtOnce(deps, viewer, list, range);
}

/** Reads rows and head at the same time. @returns null where they may not be of the same state */
async function findBoth<Row extends ListedRow>(
  { prisma, pool }: ReadDeps,
  viewer: Viewer & { keyId: string },
  list: KeyList<Row> & Required<Pick<KeyList<Row>, "findMany">>,
  range: Range,
): Promise<Found<Row> | null> {
  const [rows, head] = await Promise.all([
    withDatabaseErrors(() => list.findMany(prisma, keyPage(viewer, list, range))),
    findHead({ pool }, viewer, list, range),
  ]);
  const isOfHead = rows.length > 0 ? areOf(head.state, rows) : head.total === 0;
  return isOfHead ? { ...head, rows } : null;
}

const areOf = (state: KeyState | null, rows: readonly StateColumns[]): boolean =>
  rows.every(({ version, shownBlock }) => version === state?.version && shownBlock === state.block.number);

function keyPage(
  { keyId, chainId, productType }: Viewer & { keyId: string },
  { from, to }: { from?: number | undefined; to?: number | undefined },
  { after, take }: Range,
): KeyPage {
  const mapped = {
    ...(from === undefined ? {} : { gte: new Date(from * 1000) }),
    ...(to === undefined ? {} : { lt: new Date((to + 1) * 1000) }),
  };
  const of = { keyId, chainId, productType };
  return {
    where: after ? { ...of, ...behindPosition(after, mapped) } : { ...of, createdAt: mapped },
    orderBy: [{ createdAt: "desc" }, { claimId: "desc" }, { logIndex: "desc" }],
    take,
  };
}

/** Selects rows behind a cursor. The bound of the time is implied by the other conditions; an index needs it. */
function behindPosition(
  { createdMs, claimId, logIndex }: Position,
  mapped: KeyPage["where"]["createdAt"],
): Pick<KeyPage["where"], "createdAt" | "OR"> {
  const createdAt = new Date(createdMs);
  return {
    createdAt: { ...mapped, lte: createdAt },
    OR: [
      { createdAt: { lt: createdAt } },
      { createdAt, claimId: { lt: claimId } },
      { createdAt, claimId, logIndex: { lt: logIndex } },
    ],
  };
}

type Head = Omit<Found<never>, "rows">;

const headSchema = z
  .object({
    version: z.string().nullable(),
    shownBlock: z.coerce.bigint(),
    sequence: z.coerce.bigint().nullable(),
    total: z.number().nullable(),
  })
  .transform(({ version, shownBlock, sequence, total }): Head => {
    const state = version === null || sequence === null ? null : stateOf({ version, shownBlock, sequence });
    return { state, total, block: { number: shownBlock } };
  });

/** Reads what the rows are of, and how many there are. @throws ApiError INDEXER_BEHIND where the rows of the chain are not complete */
async function findHead(
  { pool }: Pick<ReadDeps, "pool">,
  viewer: Viewer,
  search: RowSearch,
  range: Range,
): Promise<Head> {
  const scope = listScopeOf(viewer);
  const statement = sql`
    WITH scope AS MATERIALIZED (${scope.scopes})
    SELECT h.version, h.shown_block, h.sequence, ${totalSql(search, scope, range)} AS total FROM ${headSql(viewer)} h`;
  return requireHead(await queryMaybeOne(pool, markVersioned(statement), headSchema));
}

/** Reads rows and head in one statement. */
async function findAtOnce<Row extends ListedRow>(
  { pool }: Pick<ReadDeps, "pool">,
  viewer: Viewer,
  list: KeyList<Row>,
  range: Range,
): Promise<Found<Row>> {
  const scope = listScopeOf(viewer);
  const statement = sql`
    WITH ${planned(list, pageItems(list, scope, range))}
    SELECT h.version, h.shown_block, h.sequence, ${totalSql(list, scope, range)} AS total, r.*
    FROM ${headSql(viewer)} h LEFT JOIN (${rowsOfPage(list, list.columns)}) r ON true ${orderBySql(range.order, "r")}`;
  const marked = list.isUnversioned ? statement : markVersioned(statement);
  const { head, rows } = await queryJoined(pool, marked, {
    head: headSchema,
    row: list.schema,
    id: "claimId",
  });
  return { ...requireHead(head), rows };
}

/** Returns a FROM item with the version and block of a viewer's rows; it has no row before those of the chain are complete. */
const headSql = ({ keyId, ...scope }: Viewer): Sql =>
  keyId === null
    ? sql`(
        SELECT NULL::text AS version, c.block_number AS shown_block, NULL::bigint AS sequence
        FROM app.event_chain c WHERE c.chain_id = ${scope.chainId} AND c.filled)`
    : keyStateSql({ ...scope, keyId });

const totalSql = (search: RowSearch, scope: ListScope, { after }: Range): Sql =>
  after ? sql`NULL::int` : countSql(search, scope, COUNTED_MAX + 1);

function requireHead(head: Head | null): Head {
  if (!head) throw new ApiError("INDEXER_BEHIND");
  return head;
}

/**
 * Marks a statement to be planned once: an index in the order of mapping finds rows without filters, or with those of a shape,
 * whatever the values. In the order of changes the best index depends on the values: one with that order may be read in full.
 */
const planned = ({ counts }: RowSearch, statement: Sql, { by } = NEWEST_FIRST): Sql =>
  counts && by === "createdAt" ? plannedOnce(statement) : statement;

/** A part of a list across scopes: rows with their cursors, and whether more follow. */
export interface Slice<T> {
  rows: { cursor: string; row: T }[];
  hasNext: boolean;
}

interface SliceQuery {
  /** The chains of the scope. */
  chainIds: readonly number[];
  name: ListName;
  order: ListOrder;
  first: number;
  after: string | undefined;
}

/** The time of the last indexed block of a chain, in its checkpoint (src/db/checkpoint.ts). */
const TIME = raw("left(p.latest_checkpoint, 10)");

const blockSchema = z.object({
  chainId: z.number(),
  number: z.coerce.bigint(),
  timestamp: z.coerce.bigint(),
});
const blocksSchema = z
  .object({ blocks: z.array(blockSchema).nullable() })
  .transform(({ blocks }) => new Map((blocks ?? []).map(({ chainId, ...block }) => [chainId, block])));

/**
 * Returns the rows behind a cursor, of the chains whose rows are complete, with the blocks that they are of. In a list that is sorted by
 * changes, a row that changes moves.
 * @throws ApiError VALIDATION_FAILED (param `after`), INDEXER_BEHIND where there is no such chain, DATABASE_UNAVAILABLE
 */
export async function readSlice<Row extends ListedRow>(
  { pool }: Pick<ReadDeps, "pool">,
  scope: ListScope,
  list: RowList<Row>,
  { chainIds, name, order, first, after }: SliceQuery,
): Promise<AtBlocks<Slice<Row>>> {
  const position = after === undefined ? null : decodePosition(name, order, after, "after");
  const range = { order, after: position, take: first + 1, offset: 0n };
  const statement = sql`
    WITH ${planned(list, pageItems(list, scope, range), order)}
    SELECT h.blocks, r.*
    FROM (SELECT json_agg(json_build_object('chainId', c.chain_id, 'number', c.block_number::text, 'timestamp', ${TIME})) AS blocks
      FROM app.event_chain c JOIN onchain._ponder_checkpoint p ON p.chain_id = c.chain_id
      WHERE c.filled AND c.chain_id = ANY(${chainIds}::int[])) h
    LEFT JOIN (${rowsOfPage(list, list.columns)}) r ON true ${orderBySql(order, "r")}`;
  const parsers = { head: blocksSchema, row: list.schema, id: "claimId" };
  const { head: blocks, rows } = await queryJoined(pool, statement, parsers);
  if (!blocks || (blocks.size === 0 && chainIds.length > 0)) throw new ApiError("INDEXER_BEHIND");
  return {
    blocks,
    data: {
      rows: rows
        .slice(0, first)
        .map((row) => ({ cursor: encodePosition(name, order, positionOf(row)), row })),
      hasNext: rows.length > first,
    },
  };
}

const totalSchema = z.object({ total: z.number() });

/** Returns how many rows there are, at most COUNTED_MAX. */
export async function countRows(
  { pool }: Pick<ReadDeps, "pool">,
  scope: ListScope,
  search: RowSearch,
): Promise<number> {
  const statement = sql`
    WITH scope AS MATERIALIZED (${scope.scopes}) SELECT ${countSql(search, scope, COUNTED_MAX)} AS total`;
  return (await queryOne(pool, planned(search, statement), totalSchema)).total;
}
