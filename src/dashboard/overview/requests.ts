import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import type { Args } from "../../context/input/fields.ts";
import { queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { LATENCY_BUCKETS, percentile } from "./latency.ts";
import { parseSpan, pointsOf, type Span } from "./span.ts";
import { stepOf, within } from "./step-sql.ts";

const count = z.coerce.number();
const rowSchema = z.object({
  at: count,
  requests: count,
  clientErrors: count,
  serverErrors: count,
  latencies: z.array(count).length(LATENCY_BUCKETS),
});

/** GraphQL `Dashboard.requestSeries`. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export async function readRequestSeries({ pool, now }: Deps, args: Args) {
  const span = parseSpan(args, now());
  const steps = await queryRows(pool, statement(span), rowSchema);
  const points = pointsOf(span, steps, (at, row) => ({
    at,
    requests: row?.requests ?? 0,
    clientErrors: row?.clientErrors ?? 0,
    serverErrors: row?.serverErrors ?? 0,
    p50Ms: percentile(row?.latencies ?? [], 0.5),
    p99Ms: percentile(row?.latencies ?? [], 0.99),
  }));
  return { stepSeconds: span.stepSeconds, points };
}

/** A sum for each bucket by its position: to unnest the arrays takes several times as long. */
const LATENCIES = raw(
  Array.from({ length: LATENCY_BUCKETS }, (_, bucket) => `sum(s.latencies[${bucket + 1}])::float8`).join(
    ", ",
  ),
);

const statement = (span: Span): Sql => sql`
  SELECT ${stepOf(sql`s.minute`, span)} AS at, sum(s.requests)::float8 AS requests,
    sum(s.client_errors)::float8 AS client_errors, sum(s.server_errors)::float8 AS server_errors,
    ARRAY[${LATENCIES}] AS latencies
  FROM app.request_sample s WHERE ${within(sql`s.minute`, span)} GROUP BY 1`;
