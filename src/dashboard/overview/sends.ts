import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { Prisma } from "../../db/generated/client.ts";
import type { Args } from "../../input/fields.ts";
import { chainsOf } from "../input.ts";
import { parseScopedSpan } from "./input.ts";
import { pointsOf, type Span } from "./span.ts";
import { stepOf, within } from "./step-sql.ts";

const count = z.coerce.number();
const stepSchema = z.object({
  at: z.coerce.number(),
  accepted: count,
  final: count,
  failed: count,
  canceled: count,
});
const failureSchema = z
  .object({ err_code: z.string(), count, last_at: count })
  .transform(({ err_code, count: failed, last_at }) => ({
    errCode: err_code,
    count: failed,
    lastAt: last_at,
  }));

/** GraphQL `Dashboard.sendSeries`. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export async function readSendSeries(deps: Deps, args: Args) {
  const { span, asked } = parseScopedSpan(deps, args);
  const { stepSeconds } = span;
  const chainIds = chainsOf(deps, asked);
  const [steps, failures] = await withDatabaseErrors(() =>
    Promise.all([
      deps.prisma.$queryRaw<unknown[]>(stepsSql(span, chainIds)),
      deps.prisma.$queryRaw<unknown[]>(failuresSql(span, chainIds)),
    ]),
  );
  const rows = steps.map((row) => stepSchema.parse(row));
  const points = pointsOf(
    span,
    rows,
    (at, row) => row ?? { at, accepted: 0, final: 0, failed: 0, canceled: 0 },
  );
  return { stepSeconds, points, failures: failures.map((row) => failureSchema.parse(row)) };
}

const ENDED = Prisma.sql`r.final_at IS NOT NULL`;

/** Requests are found by two indexes: when they were accepted, and when they ended. */
const stepsSql = (span: Span, chainIds: number[]): Prisma.Sql => Prisma.sql`
  SELECT s.at, sum(s.accepted) AS accepted, sum(s.final) AS final, sum(s.failed) AS failed, sum(s.canceled) AS canceled
  FROM (
    SELECT ${stepOf(Prisma.sql`r.accepted_at`, span)} AS at, count(*) AS accepted, 0 AS final, 0 AS failed, 0 AS canceled
    FROM app.send_request r
    WHERE r.chain_id = ANY(${chainIds}) AND ${within(Prisma.sql`r.accepted_at`, span)} GROUP BY 1
    UNION ALL
    SELECT ${stepOf(Prisma.sql`r.final_at`, span)}, 0,
      count(*) FILTER (WHERE r.state = 'final' AND r.outcome = 'confirmed'),
      count(*) FILTER (WHERE r.state = 'failed' OR r.outcome = 'reverted'),
      count(*) FILTER (WHERE r.state = 'canceled')
    FROM app.send_request r
    WHERE r.chain_id = ANY(${chainIds}) AND ${ENDED} AND ${within(Prisma.sql`r.final_at`, span)} GROUP BY 1) s
  GROUP BY s.at`;

const failuresSql = (span: Span, chainIds: number[]): Prisma.Sql => Prisma.sql`
  SELECT r.err_code, count(*) AS count, extract(epoch FROM max(r.final_at))::bigint AS last_at
  FROM app.send_request r
  WHERE r.chain_id = ANY(${chainIds}) AND ${ENDED} AND ${within(Prisma.sql`r.final_at`, span)}
    AND r.err_code IS NOT NULL AND (r.state IN ('failed', 'canceled') OR r.outcome = 'reverted')
  GROUP BY r.err_code ORDER BY count DESC, r.err_code`;
