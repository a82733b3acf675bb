import { z } from "zod";
import { type Queryable, queryOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../protocol/errors.ts";

/** Recorded transactions of one key that no node has known yet: each is looked for over 24 hours. */
const UNKNOWN_MAX = 1_000;
/** Nodes know in seconds what is really sent. */
const RETRY_AFTER_SECONDS = 60;

const countSchema = z.object({ unknown: z.number() });

/**
 * Refuses a transaction that no node knows, where the key has recorded too many of them: anybody can make up hashes, and
 * each costs a row and requests to a node. The conditions are words of the statement, as those of the partial index that it reads.
 * @throws ApiError RATE_LIMITED while the key has too many of them
 */
export async function requireRecordingQuota(client: Queryable, keyId: string): Promise<void> {
  const statement = sql`
    SELECT count(*)::int AS unknown FROM (
      SELECT 1 FROM app.transaction_claim c
      WHERE c.key_id = ${keyId}::uuid AND c.state = 'pending' AND c.source = 'recorded' AND c.last_seen_at IS NULL
      LIMIT ${UNKNOWN_MAX}) c`;
  const { unknown } = await queryOne(client, statement, countSchema);
  if (unknown < UNKNOWN_MAX) return;
  throw new ApiError("RATE_LIMITED", {
    message: "Too many recorded transactions of this API key are known to no node yet",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
