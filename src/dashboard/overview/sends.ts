import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import type { Args } from "../../context/input/fields.ts";
import { queryRows } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { chainsOf } from "../input.ts";
import { parseScopedSpan } from "./input.ts";
import { pointsOf, type Span } from "./span.ts";
import { lengthOf, within } from "./step-sql.ts";

const count = z.coerce.number();
const stepSchema = z.object({
  at: z.coerce.number(),
  accepted: count,
  final: count,
  failed: count,
  canceled: count,
});
const failureSchema = z.object({ errCode: z.string(), count, lastAt: count });

/** GraphQL `Dashboard.sendSeries`. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export async function readSendSeries(deps: Deps, args: Args) {
  const { span, asked } = parseScopedSpan(deps, args);
  const { stepSeconds } = span;
  const chainIds = chainsOf(deps, asked);
  const [steps, failures] = await Promise.all([
    queryRows(deps.pool, stepsSql(span, chainIds), stepSchema),
    queryRows(deps.pool, failuresSql(span, chainIds), failureSchema),
  ]);
  const points = pointsOf(
    span,
    steps,
    (at, row) => row ?? { at, accepted: 0, final: 0, failed: 0, canceled: 0 },
  );
  return { stepSeconds, points, failures };
}

/** Requests are found by two indexes, when they were accepted and when they ended: step by step, so that none is sorted. */
const stepsSql = (span: Span, chainIds: number[]): Sql => sql`
  SELECT extract(epoch FROM b.step)::bigint AS at, a.accepted, e.final, e.failed, e.canceled
  FROM generate_series(to_timestamp(${span.from}::int8), to_timestamp(${span.to - 1}::int8), ${lengthOf(span)}) AS b (step)
  CROSS JOIN LATERAL (
    SELECT count(*) AS accepted FROM app.send_request r
    WHERE r.accepted_at >= b.step AND r.accepted_at < b.step + ${lengthOf(span)} AND r.chain_id = ANY(${chainIds})) a
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE r.state = 'final' AND r.outcome = 'confirmed') AS final,
      count(*) FILTER (WHERE r.state = 'failed' OR r.outcome = 'reverted') AS failed,
      count(*) FILTER (WHERE r.state = 'canceled') AS canceled
    FROM app.send_request r
    WHERE r.final_at >= b.step AND r.final_at < b.step + ${lengthOf(span)} AND r.chain_id = ANY(${chainIds})) e`;

const failuresSql = (span: Span, chainIds: number[]): Sql => sql`
  SELECT r.err_code, count(*) AS count, extract(epoch FROM max(r.final_at))::bigint AS last_at
  FROM app.send_request r
  WHERE r.chain_id = ANY(${chainIds}) AND ${within(sql`r.final_at`, span)}
    AND r.err_code IS NOT NULL AND (r.state IN ('failed', 'canceled') OR r.outcome = 'reverted')
  GROUP BY r.err_code ORDER BY count DESC, r.err_code`;
