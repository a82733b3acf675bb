import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import type { Args } from "../../context/input/fields.ts";
import { queryRows } from "../../db/query.ts";
import { empty, raw, type Sql, sql } from "../../db/sql.ts";
import { chainsOf } from "../input.ts";
import { parseScopedSpan } from "./input.ts";
import { LATENCY_BUCKETS, percentile } from "./latency.ts";
import { parseSpan, pointsOf, type Span } from "./span.ts";
import { lengthOf, stepOf, within } from "./step-sql.ts";

const count = z.coerce.number();
const countedSchema = z.object({
  requests: count,
  clientErrors: count,
  serverErrors: count,
  latencies: z.array(count).length(LATENCY_BUCKETS),
});
const rowSchema = countedSchema.extend({ at: count });
const endpointSchema = countedSchema.extend({ endpoint: z.string() });
const refusalSchema = z.object({ keyId: z.string(), errCode: z.string(), count, lastAt: count });

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

const SUMS = sql`
  sum(s.requests)::float8 AS requests, sum(s.client_errors)::float8 AS client_errors,
  sum(s.server_errors)::float8 AS server_errors, ARRAY[${LATENCIES}] AS latencies`;

const statement = (span: Span): Sql => sql`
  SELECT ${stepOf(sql`s.minute`, span)} AS at, ${SUMS}
  FROM app.request_sample s WHERE ${within(sql`s.minute`, span)} GROUP BY 1`;

/** Length of a row of app.endpoint_sample. */
const ENDPOINT_S = 600;

/** GraphQL `Dashboard.endpointTotals`. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export async function readEndpointTotals({ pool, now }: Deps, args: Args) {
  const span = parseSpan(args, now());
  const rows = await queryRows(pool, endpointsSql(span), endpointSchema);
  return rows
    .map(({ latencies, ...row }) => ({
      ...row,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
    }))
    .sort((a, b) => (b.p99Ms ?? 0) - (a.p99Ms ?? 0));
}

const endpointsSql = (span: Span): Sql => sql`
  SELECT s.endpoint, ${SUMS} FROM app.endpoint_sample s
  WHERE s.begin > to_timestamp(${span.from}::int8) - ${lengthOf({ stepSeconds: ENDPOINT_S })} AND s.begin < to_timestamp(${span.to}::int8)
  GROUP BY s.endpoint`;

/** GraphQL `Dashboard.refusalTotals`. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export function readRefusalTotals(deps: Deps, args: Args) {
  const { span, asked } = parseScopedSpan(deps, args);
  return queryRows(
    deps.pool,
    refusalsSql(span, { ...asked, chainIds: chainsOf(deps, asked) }),
    refusalSchema,
  );
}

const refusalsSql = (span: Span, { chainIds, productType }: RefusalScope): Sql => sql`
  SELECT r.key_id::text AS key_id, r.err_code, count(*) AS count, floor(extract(epoch FROM max(r.at)))::bigint AS last_at
  FROM app.request_log r
  WHERE ${within(sql`r.at`, span)} AND r.err_code IS NOT NULL AND r.chain_id = ANY(${chainIds})
    ${productType === undefined ? empty : sql`AND r.product_type = ${productType}`}
  GROUP BY r.key_id, r.err_code ORDER BY count DESC, r.err_code, r.key_id LIMIT 50`;

interface RefusalScope {
  chainIds: number[];
  productType?: string | undefined;
}
