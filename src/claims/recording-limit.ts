import type pg from "pg";
import { z } from "zod";
import { withDatabaseErrors } from "../db/errors.ts";
import { ApiError } from "../protocol/errors.ts";

/** Recorded transactions of one key that no node has known yet: each is looked for over 24 hours. */
const UNKNOWN_MAX = 1_000;
/** Nodes know in seconds what is really sent. */
const RETRY_AFTER_SECONDS = 60;

const countSchema = z.object({ unknown: z.number() });

/**
 * Must hold before a key records a transaction that no node knows: anybody can make up hashes, and each costs a row and
 * looks at a node.
 * @throws ApiError RATE_LIMITED while the key has too many of them
 */
export async function requireRecordingQuota(pool: pg.Pool, keyId: string): Promise<void> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<Record<string, unknown>>(
      `SELECT count(*)::int AS unknown FROM (
         SELECT 1 FROM app.transaction_claim c
         WHERE c.key_id = $1 AND c.state = 'pending' AND c.source = 'recorded' AND c.last_seen_at IS NULL
         LIMIT $2) counted`,
      [keyId, UNKNOWN_MAX],
    ),
  );
  if (countSchema.parse(rows[0]).unknown < UNKNOWN_MAX) return;
  throw new ApiError("RATE_LIMITED", {
    message: "Too many recorded transactions of this API key are known to no node yet",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
