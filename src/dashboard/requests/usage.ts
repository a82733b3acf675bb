import { z } from "zod";
import { RATE_WINDOW_SECONDS } from "../../auth/rate-limits.ts";
import { readUsage } from "../../auth/usage-store.ts";
import type { Deps } from "../../context/deps.ts";
import { readStreams } from "../../context/streams/report-store.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { formatWad } from "../../protocol/decimal.ts";
import { storedSeconds } from "../../protocol/shapes.ts";
import { readSpent } from "../../sending/outbox/policy-store.ts";
import { parseKeyId } from "../input.ts";

type UsageDeps = Pick<Deps, "pool" | "limits">;

/** GraphQL `Dashboard.keyUsage`. Amounts are mUSD. @throws ApiError VALIDATION_FAILED, DATABASE_UNAVAILABLE */
export async function getKeyUsage({ pool, limits }: UsageDeps, args: Record<string, unknown>) {
  const keyId = parseKeyId(args);
  const [used, spent, routes, streams] = await withDatabaseErrors(() =>
    Promise.all([
      readUsage(pool, keyId),
      readSpent(pool, keyId),
      readRoutes({ pool }, keyId),
      readStreams(pool, keyId),
    ]),
  );
  return {
    windowSeconds: RATE_WINDOW_SECONDS,
    // A limit of 0 is none.
    reads: { limit: limits.reads || null, used: used.reads },
    writes: { limit: limits.writes || null, used: used.writes },
    inFlight: limits.inFlight || null,
    spent: formatWad(spent),
    routes,
    streams,
  };
}

/** Requests that are counted at most: a key that fails all day must not cost a page seconds. */
const COUNTED_MAX = 10_000;

const routeSchema = z.object({
  method: z.string(),
  route: z.string(),
  written: z.number(),
  refused: z.number(),
  lastAt: storedSeconds,
  lastErrCode: z.string().nullable(),
});

/** Returns what a key was refused and wrote within a day, by endpoint, most often refused first. */
function readRoutes({ pool }: Pick<Deps, "pool">, keyId: string) {
  return queryRows(
    pool,
    sql`
      SELECT l.method, l.route, count(*) FILTER (WHERE l.status < 400)::int AS written,
        count(*) FILTER (WHERE l.status >= 400)::int AS refused,
        floor(extract(epoch FROM max(l.at)))::bigint::text AS last_at,
        (array_agg(l.err_code ORDER BY l.at DESC) FILTER (WHERE l.err_code IS NOT NULL))[1] AS last_err_code
      FROM (SELECT * FROM app.request_log r WHERE r.key_id = ${keyId}::uuid AND r.at > now() - interval '1 day'
        ORDER BY r.at DESC LIMIT ${COUNTED_MAX}) l
      GROUP BY l.method, l.route ORDER BY refused DESC, written DESC, l.route, l.method`,
    routeSchema,
  );
}
