import type pg from "pg";
import { z } from "zod";
import { execute, queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { type ReportedStream, STREAM_KINDS } from "./host.ts";

/** Open streams of keys, as each api process reported its own last (app.open_streams). */

/** Stores the streams of a process in place of those before, and removes what processes that ended left. @throws ApiError DATABASE_UNAVAILABLE */
export async function saveStreams(
  pool: pg.Pool,
  apiId: string,
  { streams, leaseMs }: { streams: readonly ReportedStream[]; leaseMs: number },
): Promise<void> {
  await execute(
    pool,
    sql`
      WITH ended AS (DELETE FROM app.open_streams o WHERE o.lease_until < now() - interval '1 minute' AND o.api_id <> ${apiId}::uuid)
      INSERT INTO app.open_streams (api_id, lease_until, streams)
      VALUES (${apiId}::uuid, now() + ${leaseMs}::int * interval '1 ms', ${JSON.stringify(streams)}::jsonb)
      ON CONFLICT (api_id) DO UPDATE SET lease_until = excluded.lease_until, streams = excluded.streams`,
  );
}

/** Removes the report of a process. @throws ApiError DATABASE_UNAVAILABLE */
export async function removeStreams(pool: pg.Pool, apiId: string): Promise<void> {
  await execute(pool, sql`DELETE FROM app.open_streams WHERE api_id = ${apiId}::uuid`);
}

const rowSchema = z.object({
  streamId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  kind: z.enum(STREAM_KINDS),
  filter: z.array(z.string()).nullable(),
  openedAt: z.coerce.number(),
  sentAt: z.coerce.number().nullable(),
  isBehind: z.boolean(),
});

/** Returns the open streams of a key on all replicas, newest first; times in Unix seconds. @throws ApiError DATABASE_UNAVAILABLE */
export function readStreams(pool: pg.Pool, keyId: string): Promise<z.output<typeof rowSchema>[]> {
  return queryRows(
    pool,
    sql`
      SELECT s."streamId" AS stream_id, s."chainId" AS chain_id, s."productType" AS product_type, s.kind, s.filter,
        s."openedAt" / 1000 AS opened_at, s."sentAt" / 1000 AS sent_at, s."isBehind" AS is_behind
      FROM app.open_streams o
      CROSS JOIN LATERAL jsonb_to_recordset(o.streams) AS s ("streamId" text, "keyId" uuid, "chainId" int, "productType" text, kind text,
        filter jsonb, "openedAt" bigint, "sentAt" bigint, "isBehind" boolean)
      WHERE o.lease_until > now() AND s."keyId" = ${keyId}::uuid
      ORDER BY s."openedAt" DESC, s."streamId"`,
    rowSchema,
  );
}
