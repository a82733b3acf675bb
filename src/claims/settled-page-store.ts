import type { Viewer } from "../auth/viewer.ts";
import { BUILD_ID } from "../db/checkpoint.ts";
import { Prisma } from "../db/generated/client.ts";
import type { EventResource, EventType } from "../protocol/enums.ts";
import {
  behind,
  changedAt,
  type ListOrder,
  NEWEST_FIRST,
  orderByNames,
  orderBySql,
  type Position,
  sortColumns,
  sortNames,
  updatedMs,
} from "./list-order.ts";
import type { ListScope } from "./list-scope.ts";
import { claimsTo } from "./ownership.ts";
import {
  headOf,
  isUnreported,
  omittedOfTail,
  type ReportedList,
  type ReportedRows,
} from "./reported-store.ts";
import { countSql, type IndexSource, inScope, type SettledRows, settledSearches } from "./settled-search.ts";

/**
 * Lists from the archive of what is settled, and from the claims that are not (docs/lists.md). A row comes from the archive
 * unless its claim is in `tail_claim`; those are joined to the index as it is now.
 */

/** Outcomes of claims. In its SQL the claim is `c`, and the order or operation, where indexed, `o`. */
export interface ClaimRows extends ReportedRows {
  columns: Prisma.Sql;
  /** The tables that are joined to the claims. A row is identified by its claim and the log index of `o`. */
  joins: Prisma.Sql;
  /** `owned`, and what the list asks for. */
  where: Prisma.Sql;
  /** The tables that `columns` reads of a row: the joins without ownership, of the log index `page.log_index`. */
  detail: Prisma.Sql;
  /** The same list in the archive of what is settled. */
  settled: SettledRows;
  /** The claims that `where` lets through, for the archive. */
  scope: ListScope;
  /** Of a list that a key may go on from in the log of events. */
  reported?: ReportedList;
  /** Conditions of which one holds for each row, no two of the same one: each is searched for by indexes of its own. */
  either?: readonly Prisma.Sql[];
}

export const ORDER_SOURCE: IndexSource = { table: "stock_order", block: "updated_block" };
export const CASH_SOURCE: IndexSource = { table: "cash_operation", block: "updated_block" };
/** Stock moves at once: such an operation never changes. */
export const STOCK_SOURCE: IndexSource = { table: "stock_operation", block: "block_number" };

/** Returns how the log of events names a viewer's list; a dashboard's is none of one key. */
export const reportedList = (
  { chainId, productType, keyId }: Viewer,
  resource: EventResource,
  types: readonly EventType[] | undefined,
): Pick<ClaimRows, "reported"> =>
  keyId === null ? {} : { reported: { chainId, productType, keyId, resource, types } };

/** The part of a list that is read. */
export interface Range {
  order: ListOrder;
  after: Position | null;
  limit: number;
  offset: bigint;
  /** Rows are counted up to this many; null: not at all. */
  countMax: number | null;
}

/** More claims than this are not joined one by one: the list is then read as if nothing were settled. */
const TAIL_MAX = 50_000;

/**
 * Returns the statement of a list: its rows with `total`, and `usable`, which is false where the archive of a chain cannot be
 * used now. Then there are no rows, and the list is read from its claims.
 */
export function settledPageSql(rows: ClaimRows, range: Range): Prisma.Sql {
  const { order, after, limit, offset, countMax } = range;
  const columns = sortColumns(order);
  const sorted = orderBySql(order);
  const searches = settledSearches(rows.settled, rows.scope, {
    order,
    after,
    count: offset + BigInt(limit + 1),
  });
  const head = rows.reported
    ? Prisma.sql`, ${headOf(rows.reported)} AS event_sequence, ${omittedOfTail(rows.reported, rows)} AS omitted`
    : Prisma.empty;
  // A settled row is final: the log reports it as this list shows it, sooner or later. So only rows of the tail are compared.
  const unreported = rows.reported
    ? Prisma.sql`, page.claim_id IN (SELECT claim_id FROM tail_claim) AND ${isUnreported("d", rows.reported)} AS unreported`
    : Prisma.empty;
  return Prisma.sql`
    WITH ${tailSql(rows, order)},
    found AS (
      ${Prisma.join(searches, " UNION ALL ")}
      UNION ALL
      (SELECT ${columns} FROM tail
        ${after ? Prisma.sql`WHERE ${behind(order, after)}` : Prisma.empty} ${sorted})
    ), page AS MATERIALIZED (
      SELECT * FROM found ${sorted} LIMIT ${limit + 1} OFFSET ${offset}
    )
    SELECT t.*, r.* FROM (
      SELECT (SELECT usable FROM usable) AS usable,
        ${countMax === null ? Prisma.sql`NULL::int` : countSql(rows.settled, rows.scope, countMax)} AS total ${head}) t
    LEFT JOIN (
      SELECT d.*, ${sortNames(order)} ${updatedMs(order)} ${unreported}
      FROM page CROSS JOIN LATERAL (
        SELECT ${rows.columns} FROM app.transaction_claim c ${rows.detail}
        WHERE c.claim_id = page.claim_id OFFSET 0) d) r ON true
    ${orderByNames(order)}`;
}

/** Returns the statement that counts a list, at most up to `countMax`. */
export function settledCountSql(rows: ClaimRows, countMax: number): Prisma.Sql {
  return Prisma.sql`
    WITH ${tailSql(rows)}
    SELECT (SELECT usable FROM usable) AS usable, ${countSql(rows.settled, rows.scope, countMax)} AS total`;
}

/**
 * Returns the WITH items that a list begins with. `tail_claim` has the claims that are not settled, and in `changed` those settled
 * ones of which something changed since the settled block: found by block, so that it costs what changed and not what is open.
 */
export function tailSql(
  { joins, where, object, settled, scope }: ClaimRows,
  order = NEWEST_FIRST,
): Prisma.Sql {
  const updated = order.by === "updatedAt" ? Prisma.sql`, ${changedAt} AS updated_at` : Prisma.empty;
  return Prisma.sql`
    scope AS MATERIALIZED (${scope.scopes}),
    chain AS MATERIALIZED (
      SELECT g.chain_id, g.block_number AS settled_block, substr(p.latest_checkpoint, 27, 16)::bigint AS latest
      FROM app.settled_chain g JOIN onchain._ponder_checkpoint p ON p.chain_id = g.chain_id
      WHERE g.complete AND g.build_id = ${BUILD_ID}
    ), changed AS MATERIALIZED (
      SELECT s.claim_id
      FROM chain h JOIN scope q ON q.chain_id = h.chain_id
      CROSS JOIN LATERAL generate_series(h.settled_block + 1, h.latest) AS b (n)
      CROSS JOIN LATERAL (
        ${changedIn(settled.sources)} OFFSET 0) o
      CROSS JOIN LATERAL (
        SELECT s.claim_id FROM ${settled.table} s
        WHERE s.chain_id = h.chain_id AND s.tx_hash = o.tx_hash AND ${inScope("s", scope)} OFFSET 0) s
    ), tail_claim AS MATERIALIZED (
      SELECT t.claim_id FROM (
        SELECT u.claim_id
        FROM chain h JOIN scope q ON q.chain_id = h.chain_id CROSS JOIN LATERAL (
          SELECT u.claim_id FROM app.unsettled_claim u WHERE ${inScope("u", scope)} OFFSET 0) u
        UNION SELECT claim_id FROM changed
      ) t LIMIT ${TAIL_MAX + 1}
    ), usable AS MATERIALIZED (
      SELECT NOT EXISTS (SELECT 1 FROM scope q
          WHERE NOT EXISTS (SELECT 1 FROM chain h WHERE h.chain_id = q.chain_id AND h.settled_block <= h.latest))
        AND (SELECT count(*) FROM tail_claim) <= ${TAIL_MAX} AS usable
    ), tail AS MATERIALIZED (
      SELECT r.* FROM (SELECT claim_id FROM tail_claim WHERE (SELECT usable FROM usable)) live
      CROSS JOIN LATERAL (
        SELECT c.created_at, c.claim_id, coalesce(o.log_index, -1) AS log_index,
          coalesce(${object}, '') AS object_id ${updated}
        FROM app.transaction_claim c ${joins} WHERE c.claim_id = live.claim_id AND ${where} OFFSET 0) r
    )`;
}

/** Returns the transactions of which something changed in the block `b.n` of the chain `h`. */
const changedIn = (sources: readonly IndexSource[]): Prisma.Sql =>
  Prisma.raw(
    sources
      .map(
        ({ table, block }) => `
          SELECT o.tx_hash FROM onchain.${table} o WHERE o.chain_id = h.chain_id AND o.${block} = b.n::numeric`,
      )
      .join(" UNION ALL "),
  );

/** Returns the condition that a settled row is of a transaction, by the hash of any attempt. */
export const settledTo = (txHash: string | undefined): Prisma.Sql[] =>
  txHash === undefined
    ? []
    : [
        Prisma.sql`
          s.claim_id = ANY (ARRAY(SELECT c.claim_id FROM app.transaction_claim c WHERE ${claimsTo(txHash)}))`,
      ];
