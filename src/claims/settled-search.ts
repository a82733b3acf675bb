import { Prisma } from "../db/generated/client.ts";
import { behind, type ListOrder, orderBySql, type Position, sortColumns } from "./list-order.ts";
import type { ListScope } from "./list-scope.ts";

/** Searches of the archive of what is settled, as SQL (docs/lists.md#two-filters): each reads what it finds, not the history. */

/** Where settled rows are found. In its SQL the row is `s`, and the scope `q` (chain_id, product_type). */
export interface SettledRows {
  table: Prisma.Sql;
  /** FROM items joined to the scope, each row of which is searched for by itself: where an index can have one value at a time. */
  each?: Prisma.Sql | undefined;
  where: readonly Prisma.Sql[];
  /** Columns of few values, which a key's indexes have before the time; left out where no such index fits the filters. */
  shapes?: Shapes | undefined;
  /**
   * Conditions on a row `n` of app.settled_count that let through the counts of the list's rows, and no others; left out where a
   * filter is on what they do not have.
   */
  counts?: readonly Prisma.Sql[] | undefined;
  /** Unix seconds. */
  updatedAfter?: number | undefined;
  /** Where the index has them: what appears or changes there behind the settled block is in the tail. */
  sources: readonly IndexSource[];
}

/** Columns of few values. Each combination is searched for by itself, since an index gives it in the order of its times. */
export interface Shapes {
  /** A FROM item, joined to the scope: the combinations that the list's filters let through. */
  from: Prisma.Sql;
  /** Holds where the row `s` is of a combination. */
  where: Prisma.Sql;
}

/** A table of the index whose rows lists show, and its column for the block of a row's last change. */
export interface IndexSource {
  table: "stock_order" | "cash_operation" | "stock_operation";
  block: "updated_block" | "block_number";
}

/** Values in the place of `q` let PostgreSQL read rows in the order of an index, without sorting them. */
export function inScope(alias: "u" | "s" | "n", { keyId, single }: ListScope): Prisma.Sql {
  const row = Prisma.raw(alias);
  const scope = single
    ? Prisma.sql`${row}.chain_id = ${single.chainId} AND ${row}.product_type = ${single.productType}`
    : Prisma.sql`${row}.chain_id = q.chain_id AND ${row}.product_type = q.product_type`;
  return keyId === null ? scope : Prisma.sql`${scope} AND ${row}.key_id = ${keyId}::uuid`;
}

const IS_USABLE = Prisma.sql`(SELECT usable FROM usable)`;
const IS_SETTLED = Prisma.sql`s.claim_id NOT IN (SELECT claim_id FROM tail_claim)`;

/** Returns the conditions that a settled row `s` is of a list, and not in the tail. */
export const conditionsOf = (settled: SettledRows, scope: ListScope): Prisma.Sql[] => [
  inScope("s", scope),
  ...settled.where,
  IS_USABLE,
  IS_SETTLED,
];

/** A part of the rows that a list has in the archive. No row is in two of them. */
interface Part {
  /** FROM items joined to the scope, each row of which is searched for by itself. */
  each: readonly Prisma.Sql[];
  rows: Prisma.Sql;
  where: readonly Prisma.Sql[];
}

/** Returns the parts of a list; what changed after a time is the part that was mapped after it, and the one before. */
function partsOf(settled: SettledRows, scope: ListScope, byChange = false): [Part, ...Part[]] {
  const { table, updatedAfter } = settled;
  // Only the indexes of a key have them, by the time of mapping.
  const shapes = scope.keyId === null || byChange ? undefined : settled.shapes;
  const each = settled.each ? [settled.each] : [];
  const where = [inScope("s", scope), ...settled.where, IS_USABLE];
  const plain = { each, rows: table, where };
  const shaped = shapes
    ? { each: [shapes.from, ...each], rows: table, where: [...where, shapes.where] }
    : plain;
  if (updatedAfter === undefined) return [shaped];
  const time = new Date(updatedAfter * 1000);
  if (byChange) return [{ ...plain, where: [...where, Prisma.sql`s.updated_at > ${time}`] }];
  return [
    { ...shaped, where: [...shaped.where, Prisma.sql`s.created_at > ${time}`] },
    {
      each: [...each, spansBefore(time)],
      rows: Prisma.sql`(
        SELECT * FROM ${table} s WHERE ${inScope("s", scope)} AND ${SPAN} = d.span AND s.created_at > d.since
          AND s.created_at <= ${time} OFFSET 0)`,
      where: [...where, Prisma.sql`s.updated_at > ${time}`],
    },
  ];
}

/**
 * Times from mapping to last change that divide rows into spans. What was mapped before a time and changed after it
 * is, among the rows of a span, mapped at most that long before: so few rows are read that had not changed by then.
 */
const SPANS_S = [10, 60, 300, 1_800, 10_800, 86_400, 604_800, 5_184_000];

/** The number of a row's span, 0 for the shortest, as indexes have it. */
const SPAN = Prisma.raw(
  `width_bucket(s.updated_at - s.created_at, '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[])`,
);

/** Returns the spans as a FROM item `d`, with the time before which none of its rows was mapped that changed after `time`. */
function spansBefore(time: Date): Prisma.Sql {
  const since = SPANS_S.map((seconds) => new Date(time.getTime() - seconds * 1000).toISOString());
  return Prisma.sql`
    CROSS JOIN (SELECT e.since, e.number - 1 AS span
      FROM unnest(${[...since, "-infinity"]}::timestamptz[]) WITH ORDINALITY AS e (since, number)) d`;
}

/** Returns a SELECT from each row of a part's FROM items. */
function selectFrom(
  { each, rows, where }: Part,
  { single }: ListScope,
  { columns, more, end }: { columns: Prisma.Sql; more: readonly Prisma.Sql[]; end: Prisma.Sql },
): Prisma.Sql {
  const one = Prisma.sql`SELECT ${columns} FROM ${rows} s WHERE ${Prisma.join([...where, ...more], " AND ")} ${end}`;
  if (single && each.length === 0) return one;
  const joined = each.length === 0 ? Prisma.empty : Prisma.join([...each], " ");
  return Prisma.sql`SELECT s.* FROM scope q ${joined} CROSS JOIN LATERAL (${one}) s`;
}

/** Names the rows that a search returns: their order, the place they follow, and their number. */
export interface Search {
  order: ListOrder;
  after: Position | null;
  /** How many rows are needed. */
  count: bigint;
}

/** Returns the searches for the first `count` rows behind a place, each a SELECT in brackets. */
export function settledSearches(
  settled: SettledRows,
  scope: ListScope,
  { order, after, count }: Search,
): Prisma.Sql[] {
  const search = (part: Part, conditions: readonly Prisma.Sql[]) => {
    const more = [IS_SETTLED, ...(after ? [behind(order, after)] : []), ...conditions];
    const end = Prisma.sql`${orderBySql(order)} LIMIT ${count}`;
    return Prisma.sql`(${selectFrom(part, scope, { columns: sortColumns(order, "s"), more, end })})`;
  };
  const [first, ...others] = partsOf(settled, scope, order.by === "updatedAt");
  const newest = search(first, []);
  // Newest first, older rows only count where there are too few of these.
  const isNeeded =
    order.direction === "desc" ? [Prisma.sql`(SELECT count(*) FROM ${newest} f) < ${count}`] : [];
  return [newest, ...others.map((part) => search(part, isNeeded))];
}

/**
 * Returns how many rows there are, up to `countMax`, as a scalar subquery: those of the tail, and the settled ones without those
 * whose claim is in `changed`: no other claim of the tail has any. To count these apart takes a third of asking each settled row for
 * its claim.
 */
export function countSql(settled: SettledRows, scope: ListScope, countMax: number): Prisma.Sql {
  const { table, where } = settled;
  const matching = Prisma.join([inScope("s", scope), ...where, ...changedSince(settled), IS_USABLE], " AND ");
  // By the claim first: with a claim, an index of the filters would be read through for each of them.
  const ofTail = Prisma.sql`(SELECT * FROM ${table} s WHERE s.claim_id = l.claim_id OFFSET 0)`;
  const replaced = Prisma.sql`
    SELECT count(*) AS n FROM (SELECT DISTINCT claim_id FROM changed) l CROSS JOIN scope q ${settled.each ?? Prisma.empty}
    CROSS JOIN LATERAL (SELECT 1 FROM ${ofTail} s WHERE ${matching} OFFSET 0) s`;
  return Prisma.sql`
    (SELECT least(${countMax}, tailed.n + found.n - replaced.n)::int
      FROM (SELECT count(*) AS n FROM tail) tailed
      CROSS JOIN (${replaced}) replaced
      CROSS JOIN LATERAL (${keptCountSql(settled, scope) ?? foundCountSql(settled, scope, countMax)}) found)`;
}

/**
 * Returns true where a list asks for nothing but what the counts of settled rows have.
 * @param filters all filters of the list, by name
 * @param counted the names of those that the counts have
 */
export const areCountsEnough = (filters: object, counted: readonly string[], input: object): boolean =>
  Object.entries(input).every(
    ([name, value]) => value === undefined || counted.includes(name) || !(name in filters),
  );

/** Returns a SELECT of the number of a key's settled rows from what is kept of it; undefined where the list must be counted. */
function keptCountSql({ counts, updatedAfter }: SettledRows, scope: ListScope): Prisma.Sql | undefined {
  // Counts are of one key each: of all keys together there may be more of them than rows that are counted.
  if (!counts || updatedAfter !== undefined || scope.keyId === null) return undefined;
  const kept = (table: Prisma.Sql) => {
    const of = Prisma.sql`SELECT n.row_count FROM ${table} n WHERE ${Prisma.join([inScope("n", scope), ...counts], " AND ")}`;
    return scope.single
      ? of
      : Prisma.sql`SELECT n.row_count FROM scope q CROSS JOIN LATERAL (${of} OFFSET 0) n`;
  };
  return Prisma.sql`
    SELECT coalesce(sum(n.row_count), 0) AS n
    FROM (${kept(Prisma.sql`app.settled_count`)} UNION ALL ${kept(Prisma.sql`app.settled_count_change`)}) n`;
}

/** Returns a SELECT of the number of settled rows, counted up to `countMax` more than are replaced. */
function foundCountSql(settled: SettledRows, scope: ListScope, countMax: number): Prisma.Sql {
  const most = Prisma.sql`LIMIT ${countMax} + replaced.n`;
  const found = partsOf(settled, scope).map(
    (part) => Prisma.sql`(${selectFrom(part, scope, { columns: Prisma.sql`1`, more: [], end: most })})`,
  );
  return Prisma.sql`
    SELECT count(*) AS n FROM (SELECT 1 FROM (${Prisma.join(found, " UNION ALL ")}) f ${most}) matching`;
}

const changedSince = ({ updatedAfter }: SettledRows): Prisma.Sql[] =>
  updatedAfter === undefined ? [] : [Prisma.sql`s.updated_at > ${new Date(updatedAfter * 1000)}`];
