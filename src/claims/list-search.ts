import type { ListFilter } from "../context/input/list.ts";
import { empty, join, raw, type Sql, sql } from "../db/sql.ts";
import { behind, type ListOrder, orderBySql, type Position, sortColumns } from "./list-order.ts";
import type { ListScope } from "./list-scope.ts";
import { claimsTo } from "./ownership.ts";

/**
 * Searches of the rows of keys, as SQL (docs/lists.md#two-filters): each reads what it finds, not the history. In their SQL the row is
 * `s`, and the scope `q` (chain_id, product_type, key_id).
 */

/** Rows that a list asks for. */
export interface RowSearch {
  /** app.key_order or app.key_operation. */
  table: Sql;
  /** Column that is NULL where nothing is indexed. */
  object: Sql;
  /** FROM items joined to the scope, each row of which is searched for by itself: where an index can have one value at a time. */
  each?: Sql | undefined;
  where: readonly Sql[];
  /** Columns of few values, which a key's indexes have before the time; left out where no such index fits the filters. */
  shapes?: Shapes | undefined;
  /** Left out where the list asks for what app.key_count does not have. */
  counts?: Counts | undefined;
  /** Unix seconds. */
  updatedAfter?: number | undefined;
}

/** Columns of few values. Each combination is searched for by itself, since an index gives it in the order of its times. */
export interface Shapes {
  /** A FROM item, joined to the scope: the combinations that the list's filters let through. */
  from: Sql;
  /** Holds where the row `s` is of a combination. */
  where: Sql;
}

/** The stored counts from which the rows of a list are counted. */
export interface Counts {
  /** Conditions on a row `n` of app.key_count that let through the counts of the list's rows, and no others. */
  where: readonly Sql[];
  /** False where no row passes the list's filter while nothing of it is indexed: those are not in app.key_count. */
  mayBePending: boolean;
}

/** Returns the condition of a scope. With its values, PostgreSQL reads rows in the order of an index, without sorting them. */
export function inScope(alias: "s" | "n", { single }: ListScope): Sql {
  const row = raw(alias);
  return single
    ? sql`${row}.chain_id = ${single.chainId} AND ${row}.product_type = ${single.productType} AND ${row}.key_id = ${single.keyId}::uuid`
    : sql`${row}.chain_id = q.chain_id AND ${row}.product_type = q.product_type AND ${row}.key_id = q.key_id`;
}

/** Returns the condition that a column has a value; none where there is no such value. */
export const equal = (column: Sql, value: string | undefined): Sql[] =>
  value === undefined ? [] : [sql`${column} = ${value}`];

/** The conditions of each filter of a list, by its name: the compiler finds a filter that has none. */
export type Conditions<Filter> = { readonly [Name in keyof Required<Filter>]: readonly Sql[] };

/** Returns the conditions of the filters of every list. Rows are mapped within `from` and `to`, both included, Unix seconds. */
export const conditionsOf = ({ userAddress, txHash, from, to }: ListFilter): Conditions<ListFilter> => ({
  userAddress: equal(sql`s.user_address`, userAddress),
  txHash:
    txHash === undefined
      ? []
      : [ofClaims(sql`SELECT c.claim_id FROM app.transaction_claim c WHERE ${claimsTo(txHash)}`)],
  from: from === undefined ? [] : [sql`s.created_at >= ${new Date(from * 1000)}`],
  to: to === undefined ? [] : [sql`s.created_at < ${new Date((to + 1) * 1000)}`],
  // RowSearch.updatedAfter: an index finds these rows.
  updatedAfter: [],
});

/** Returns the condition that a row is of one of a few claims, which are found first. @param claims a SELECT of their ids */
export const ofClaims = (claims: Sql): Sql => sql`s.claim_id = ANY (ARRAY(${claims}))`;

/**
 * Returns true where a list asks for nothing but what the counts of rows have.
 * @param filters all filters of the list, by name
 * @param counted the names of those that the counts have
 */
export const areCountsEnough = (filters: object, counted: readonly string[], input: object): boolean =>
  Object.entries(input).every(
    ([name, value]) => value === undefined || counted.includes(name) || !(name in filters),
  );

/** A part of the rows of a list. No row is in two of them. */
interface Part {
  /** FROM items joined to the scope, each row of which is searched for by itself. */
  each: readonly Sql[];
  rows: Sql;
  where: readonly Sql[];
}

/** Returns the parts of a list; what changed after a time is the part that was mapped after it, and the one before. */
function partsOf(search: RowSearch, scope: ListScope, byChange = false): [Part, ...Part[]] {
  const { table, updatedAfter } = search;
  // Indexes have them by the time of mapping alone.
  const shapes = byChange ? undefined : search.shapes;
  const each = search.each ? [search.each] : [];
  const where = [inScope("s", scope), ...search.where];
  const plain = { each, rows: table, where };
  const shaped = shapes
    ? { each: [shapes.from, ...each], rows: table, where: [...where, shapes.where] }
    : plain;
  if (updatedAfter === undefined) return [shaped];
  const time = new Date(updatedAfter * 1000);
  if (byChange) return [{ ...plain, where: [...where, sql`s.updated_at > ${time}`] }];
  return [
    { ...shaped, where: [...shaped.where, sql`s.created_at > ${time}`] },
    {
      each: [...each, spansBefore(time)],
      rows: sql`(
        SELECT * FROM ${table} s WHERE ${inScope("s", scope)} AND ${SPAN} = d.span AND s.created_at > d.since
          AND s.created_at <= ${time} OFFSET 0)`,
      where: [...where, sql`s.updated_at > ${time}`],
    },
  ];
}

/**
 * Times from mapping to last change that divide rows into spans. What was mapped before a time and changed after it
 * is, among the rows of a span, mapped at most that long before: so few rows are read that had not changed by then.
 */
const SPANS_S = [10, 60, 300, 1_800, 10_800, 86_400, 604_800, 5_184_000];

/** The number of a row's span, 0 for the shortest, as indexes have it. */
const SPAN = raw(
  `width_bucket(s.updated_at - s.created_at, '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[])`,
);

/** Returns the spans as a FROM item `d`, with the time before which none of its rows was mapped that changed after `time`. */
function spansBefore(time: Date): Sql {
  const since = SPANS_S.map((seconds) => new Date(time.getTime() - seconds * 1000).toISOString());
  return sql`
    CROSS JOIN (SELECT e.since, e.number - 1 AS span
      FROM unnest(${[...since, "-infinity"]}::timestamptz[]) WITH ORDINALITY AS e (since, number)) d`;
}

/** Returns a SELECT from each row of a part's FROM items. */
function selectFrom(
  { each, rows, where }: Part,
  { single }: ListScope,
  { columns, more, end }: { columns: Sql; more: readonly Sql[]; end: Sql },
): Sql {
  const one = sql`SELECT ${columns} FROM ${rows} s WHERE ${join([...where, ...more], " AND ")} ${end}`;
  if (single && each.length === 0) return one;
  const joined = each.length === 0 ? empty : join([...each], " ");
  return sql`SELECT s.* FROM scope q ${joined} CROSS JOIN LATERAL (${one}) s`;
}

/** Part of a list that is read. */
export interface Range {
  order: ListOrder;
  after: Position | null;
  /** Maximum number of rows. */
  take: number;
  offset: bigint;
}

/** Returns the WITH items `scope`, which searches go through, and `page`: names and positions of a list's rows in one range. */
export function pageItems(search: RowSearch, scope: ListScope, range: Range): Sql {
  const { order, after, take, offset } = range;
  const found = searches(search, scope, { order, after, count: offset + BigInt(take) });
  return sql`
    scope AS MATERIALIZED (${scope.scopes}),
    page AS MATERIALIZED (
      SELECT * FROM (${join(found, " UNION ALL ")}) found ${orderBySql(order)} LIMIT ${take} OFFSET ${offset})`;
}

/** Returns a SELECT of the rows `s` of `page`, read by their claims. */
export const rowsOfPage = ({ table }: RowSearch, columns: Sql): Sql => sql`
  SELECT ${columns} FROM page CROSS JOIN LATERAL (
    SELECT * FROM ${table} k WHERE k.claim_id = page.claim_id AND k.log_index = page.log_index OFFSET 0) s`;

interface Nearest {
  order: ListOrder;
  after: Position | null;
  /** Number of rows that are needed. */
  count: bigint;
}

/** Returns the searches for the first `count` rows behind a position, each a SELECT in brackets. */
function searches(search: RowSearch, scope: ListScope, { order, after, count }: Nearest): Sql[] {
  const searchIn = (part: Part, conditions: readonly Sql[]) => {
    const more = [...(after ? [behind(order, after)] : []), ...conditions];
    const end = sql`${orderBySql(order)} LIMIT ${count}`;
    return sql`(${selectFrom(part, scope, { columns: sortColumns(order, "s"), more, end })})`;
  };
  const [first, ...others] = partsOf(search, scope, order.by === "updatedAt");
  const newest = searchIn(first, []);
  // Newest first, older rows only count where there are too few of these.
  const isNeeded = order.direction === "desc" ? [sql`(SELECT count(*) FROM ${newest} f) < ${count}`] : [];
  return [newest, ...others.map((part) => searchIn(part, isNeeded))];
}

/** Returns how many rows a list has, up to `countMax`, as a scalar subquery. The statement has the WITH item `scope`. */
export const countSql = (search: RowSearch, scope: ListScope, countMax: number): Sql =>
  keptCountSql(search, scope, countMax) ?? foundCountSql(search, scope, countMax);

/** Returns the number from what is kept of it; undefined where the rows must be counted. */
function keptCountSql(search: RowSearch, scope: ListScope, countMax: number): Sql | undefined {
  const { counts, updatedAfter } = search;
  if (!counts || updatedAfter !== undefined) return undefined;
  const conditions = join([inScope("n", scope), ...counts.where], " AND ");
  const of = sql`SELECT n.row_count FROM app.key_count n WHERE ${conditions}`;
  const kept = scope.single ? of : sql`SELECT n.row_count FROM scope q CROSS JOIN LATERAL (${of} OFFSET 0) n`;
  const pending = counts.mayBePending
    ? sql`+ ${foundCountSql({ ...search, shapes: undefined, where: [...search.where, sql`s.${search.object} IS NULL`] }, scope, countMax)}`
    : empty;
  return sql`
    least(${countMax}, (SELECT coalesce(sum(n.row_count), 0) FROM (${kept}) n) ${pending})::int`;
}

/** Returns the number of rows, counted. */
function foundCountSql(search: RowSearch, scope: ListScope, countMax: number): Sql {
  const most = sql`LIMIT ${countMax}`;
  const found = partsOf(search, scope).map(
    (part) => sql`(${selectFrom(part, scope, { columns: sql`1`, more: [], end: most })})`,
  );
  return sql`(SELECT count(*)::int FROM (SELECT 1 FROM (${join(found, " UNION ALL ")}) f ${most}) matching)`;
}
