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

/** The orders that were mapped in one step and have one status; `amount` sums their fills, mUSD wad. */
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
 * Adds up the orders that were mapped in a span, by key, by symbol and by chain, in one pass over them.
 * @throws ApiError as readSeries
 */
export async function readTotals(
  pool: pg.Pool,
  scope: ListScope,
  { from, to }: Pick<SeriesTerms, "from" | "to">,
): Promise<OrderTotal[]> {
  const statement = sql`
    WITH scope AS MATERIALIZED (${scope.scopes}), taken AS (
      SELECT s.*, t.symbol FROM scope q
      CROSS JOIN LATERAL (
        SELECT s.key_id, s.chain_id, s.product_type, s.stock_address, s.status, s.filled_notional, s.updated_at - s.created_at AS took
        FROM app.key_order s
        WHERE ${inScope("s", scope)} AND s.created_at >= to_timestamp(${from}::int8) AND s.created_at < to_timestamp(${to}::int8)
        OFFSET 0) s
      LEFT JOIN onchain.stock_token t
        ON t.chain_id = s.chain_id AND t.product_type = s.product_type AND t.token_address = s.stock_address
    )
    SELECT t.complete, r.*
    FROM ${COMPLETE} t
    LEFT JOIN (
      SELECT k.key_id::text AS key_id, k.symbol, k.chain_id, count(*)::text AS count,
        count(*) FILTER (WHERE k.status = 'Filled')::text AS filled, coalesce(sum(k.filled_notional), 0)::text AS amount,
        extract(epoch FROM percentile_disc(0.5) WITHIN GROUP (ORDER BY k.took) FILTER (WHERE k.status = 'Filled'))::float8
          AS seconds_to_fill
      FROM taken k GROUP BY GROUPING SETS ((k.key_id), (k.symbol), (k.chain_id))) r ON true
    ORDER BY r.count::bigint DESC`;
  const { head, rows } = await queryJoined(pool, statement, {
    head: completeSchema,
    row: totalSchema,
    id: "count",
  });
  return rowsOf(head, rows);
}

const COMPLETE = sql`(SELECT EXISTS (SELECT FROM app.event_chain c WHERE c.filled) AS complete)`;

/** @throws ApiError INDEXER_BEHIND where the rows of no chain are complete */
function rowsOf<Row>(head: { complete: boolean } | null, rows: Row[]): Row[] {
  if (!head?.complete) throw new ApiError("INDEXER_BEHIND");
  return rows;
}
