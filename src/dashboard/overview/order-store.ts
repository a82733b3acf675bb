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
const completeSchema = z.object({ complete: z.boolean() });

/** The orders that were mapped in one step and have one status; `amount` sums their fills, mUSD wad. */
export type Counted = z.output<typeof countedSchema>;

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
    FROM (SELECT EXISTS (SELECT FROM app.event_chain c WHERE c.filled) AS complete) t
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
  if (!head?.complete) throw new ApiError("INDEXER_BEHIND");
  return rows;
}
