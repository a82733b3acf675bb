import type pg from "pg";
import { z } from "zod";
import type { ListScope } from "../../claims/list-scope.ts";
import { inScope } from "../../claims/list-search.ts";
import { queryJoined } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../../protocol/errors.ts";
import { storedAmount } from "../../protocol/shapes.ts";

interface SeriesTerms {
  /** Unix seconds, multiples of the step, `to` excluded. */
  from: number;
  to: number;
  stepSeconds: number;
}

const countedSchema = z.object({
  at: z.coerce.number(),
  status: z.string(),
  count: z.coerce.number(),
  amount: storedAmount,
});
const totalSchema = z.object({
  keyId: z.string().nullable(),
  symbol: z.string().nullable(),
  chainId: z.number().nullable(),
  count: z.coerce.number(),
  filled: z.coerce.number(),
  amount: storedAmount,
  secondsToFill: z.number().nullable(),
});
const completeSchema = z.object({ complete: z.boolean() });

/** Orders that were mapped in one step and have one status; `amount` sums their fills, mUSD wad. */
export type Counted = z.output<typeof countedSchema>;

/** Orders that have one key, symbol or chain in common, the one that is not null; `amount` as of Counted. */
export type OrderTotal = z.output<typeof totalSchema>;

/**
 * Counts orders by the step in which they were mapped, along an index: grouped by the step, all of them would be sorted. `at` is the
 * begin of a step, Unix seconds; steps are multiples of their length.
 * @throws ApiError INDEXER_BEHIND where the rows of no chain are complete, DATABASE_UNAVAILABLE
 */
export async function readSeries(
  pool: pg.Pool,
  scope: ListScope,
  { from, to, stepSeconds }: SeriesTerms,
): Promise<Counted[]> {
  const length = sql`make_interval(secs => ${stepSeconds}::int)`;
  const statement = sql`
    WITH scope AS MATERIALIZED (${scope.scopes})
    SELECT t.complete, r.*
    FROM ${COMPLETE} t
    LEFT JOIN (
      SELECT extract(epoch FROM b.step)::bigint AS at, d.status, sum(d.count)::bigint AS count,
        coalesce(sum(d.amount), 0)::text AS amount
      FROM scope q
      CROSS JOIN generate_series(to_timestamp(${from}::int8), to_timestamp(${to - 1}::int8), ${length}) AS b (step)
      CROSS JOIN LATERAL (
        SELECT s.status, count(*) AS count, sum(s.filled_notional) AS amount
        FROM app.key_order s
        WHERE ${inScope("s", scope)} AND s.created_at >= b.step AND s.created_at < b.step + ${length}
        GROUP BY 1 OFFSET 0) d
      GROUP BY b.step, d.status) r ON true
    ORDER BY r.at, r.status`;
  const { head, rows } = await queryJoined(pool, statement, {
    head: completeSchema,
    row: countedSchema,
    id: "at",
  });
  return rowsOf(head, rows);
}

/**
 * Adds up the orders that were mapped in a span, by key, by symbol and by chain. One pass counts them by the time that
 * they took, whole seconds below 100 and two digits above, so that medians need no sort of all orders. The index key_order_totals has all
 * that it reads of an order: the rows of a month are far larger.
 * @throws ApiError as readSeries
 */
export async function readTotals(
  pool: pg.Pool,
  scope: ListScope,
  { from, to }: Pick<SeriesTerms, "from" | "to">,
): Promise<OrderTotal[]> {
  const statement = sql`
    WITH scope AS MATERIALIZED (${scope.scopes}), counted AS MATERIALIZED (
      SELECT s.key_id, s.chain_id, s.product_type, s.stock_address, s.took, count(*) AS count, sum(s.filled_notional) AS amount
      FROM scope q
      CROSS JOIN LATERAL (
        SELECT s.key_id, s.chain_id, s.product_type, s.stock_address, s.filled_notional,
          CASE WHEN s.status = 'Filled' THEN ${TOOK} END AS took
        FROM app.key_order s
        WHERE ${inScope("s", scope)} AND s.created_at >= to_timestamp(${from}::int8) AND s.created_at < to_timestamp(${to}::int8)
        OFFSET 0) s
      GROUP BY 1, 2, 3, 4, 5
    ), ranked AS (
      SELECT g.*, c.took, c.count, c.amount, sum(c.count) FILTER (WHERE c.took IS NOT NULL) OVER (w ORDER BY c.took) AS filled_until,
        sum(c.count) FILTER (WHERE c.took IS NOT NULL) OVER w AS filled
      FROM counted c
      LEFT JOIN onchain.stock_token t
        ON t.chain_id = c.chain_id AND t.product_type = c.product_type AND t.token_address = c.stock_address
      CROSS JOIN LATERAL (VALUES (c.key_id, NULL, NULL), (NULL, t.symbol, NULL), (NULL, NULL, c.chain_id)) AS g (key_id, symbol, chain_id)
      WINDOW w AS (PARTITION BY g.key_id, g.symbol, g.chain_id)
    )
    SELECT t.complete, r.*
    FROM ${COMPLETE} t
    LEFT JOIN (
      SELECT k.key_id::text AS key_id, k.symbol, k.chain_id, sum(k.count)::text AS count, coalesce(max(k.filled), 0)::text AS filled,
        coalesce(sum(k.amount), 0)::text AS amount, min(k.took) FILTER (WHERE k.filled_until * 2 >= k.filled) AS seconds_to_fill
      FROM ranked k GROUP BY k.key_id, k.symbol, k.chain_id) r ON true
    ORDER BY r.count::bigint DESC`;
  const { head, rows } = await queryJoined(pool, statement, {
    head: completeSchema,
    row: totalSchema,
    id: "count",
  });
  return rowsOf(head, rows);
}

// By date_part, which has no NUMERIC on its way.
const SECONDS = sql`date_part('epoch', s.updated_at - s.created_at)`;
const WIDTH = sql`power(10, greatest(floor(log(greatest(${SECONDS}, 1))) - 1, 0))`;
/** Seconds from mapped to the last change. */
const TOOK = sql`round(${SECONDS} / ${WIDTH}) * ${WIDTH}`;

const COMPLETE = sql`(SELECT EXISTS (SELECT FROM app.event_chain c WHERE c.filled) AS complete)`;

/** @throws ApiError INDEXER_BEHIND where the rows of no chain are complete */
function rowsOf<Row>(head: { complete: boolean } | null, rows: Row[]): Row[] {
  if (!head?.complete) throw new ApiError("INDEXER_BEHIND");
  return rows;
}
