import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import type { Args } from "../../context/input/fields.ts";
import { queryRows } from "../../db/query.ts";
import { empty, sql } from "../../db/sql.ts";
import { parseChainSpan, parseQueueSpan } from "./input.ts";
import { pointsOf, type Span } from "./span.ts";
import { stepOf, within } from "./step-sql.ts";

/** Series of the samples that workers take (sampler.ts). Of a step, the worst sample counts: a mean would hide a peak. */

const MINUTE = sql`s.minute`;
/** Of a step. */
const LAST = sql`extract(epoch FROM max(s.minute))::bigint`;
const at = z.coerce.number();

const lastAt = z.coerce.number();
const chainSchema = z.object({
  at,
  lastAt,
  lagSeconds: z.number().nullable(),
  lagBlocks: z.number().nullable(),
});

/** GraphQL `Dashboard.chainSeries`. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export async function readChainSeries(deps: Deps, args: Args) {
  const { span, asked } = parseChainSpan(deps, args);
  const rows = await queryRows(
    deps.pool,
    sql`
      SELECT ${stepOf(MINUTE, span)} AS at, ${LAST} AS last_at, max(s.lag_seconds) AS lag_seconds, max(s.lag_blocks) AS lag_blocks
      FROM app.chain_sample s WHERE s.chain_id = ${asked.chainId} AND ${within(MINUTE, span)} GROUP BY 1`,
    chainSchema,
  );
  const none = { lagSeconds: null, lagBlocks: null };
  return seriesOf(span, rows, none);
}

const queueSchema = z.object({
  at,
  lastAt,
  depth: z.coerce.number(),
  oldestSeconds: z.number(),
  balanceWei: z.string().nullable(),
});

/** GraphQL `Dashboard.queueSeries`. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export async function readQueueSeries(deps: Deps, args: Args) {
  const { span, asked } = parseQueueSpan(deps, args);
  const { chainId, wallet } = asked;
  const ofWallet = wallet === undefined ? empty : sql`AND s.wallet = ${wallet}`;
  // A balance is one wallet's: a sum would hide the one that runs out.
  const balance = wallet === undefined ? sql`NULL::numeric` : sql`max(s.balance_wei)`;
  const rows = await queryRows(
    deps.pool,
    sql`
      SELECT ${stepOf(MINUTE, span)} AS at, ${LAST} AS last_at, max(s.depth) AS depth, max(s.oldest_seconds) AS oldest_seconds,
        (array_agg(s.balance_wei ORDER BY s.minute DESC) FILTER (WHERE s.balance_wei IS NOT NULL))[1]::text AS balance_wei
      FROM (
        SELECT s.minute, sum(s.depth) AS depth, max(s.oldest_seconds) AS oldest_seconds, ${balance} AS balance_wei
        FROM app.wallet_sample s WHERE s.chain_id = ${chainId} ${ofWallet} AND ${within(MINUTE, span)}
        GROUP BY s.minute) s
      GROUP BY 1`,
    queueSchema,
  );
  const none = { depth: null, oldestSeconds: null, balanceWei: null };
  return seriesOf(span, rows, none);
}

function seriesOf<Row extends { at: number; lastAt: number }, None extends object>(
  span: Span,
  rows: readonly Row[],
  none: None,
) {
  const points = pointsOf(span, rows, (step, row) => row ?? { at: step, ...none });
  const lastAt = rows.length === 0 ? null : Math.max(...rows.map((row) => row.lastAt));
  return { stepSeconds: span.stepSeconds, lastAt, points };
}
