import type pg from "pg";
import { z } from "zod";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { DASHBOARD_ROLES } from "../../protocol/enums.ts";

const userSchema = z.object({
  userId: z.uuid(),
  name: z.string(),
  role: z.enum(DASHBOARD_ROLES),
  expiresAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  lastUsedAt: z.date().nullable(),
});

export type StoredUser = z.output<typeof userSchema>;

/** Finds a dashboard user, revoked and expired ones too, by the hash of their token. @throws ApiError DATABASE_UNAVAILABLE */
export function findByTokenHash(pool: pg.Pool, tokenHash: Buffer): Promise<StoredUser | null> {
  const statement = sql`
    SELECT user_id, name, role::text AS role, expires_at, revoked_at, last_used_at
    FROM app.dashboard_user WHERE token_hash = ${tokenHash}`;
  return queryMaybeOne(pool, statement, userSchema);
}

/** Notes that a token is in use, unless that was noted less than a minute ago, by any replica. */
export async function noteUse(pool: pg.Pool, userId: string): Promise<void> {
  await execute(
    pool,
    sql`
      UPDATE app.dashboard_user SET last_used_at = now()
      WHERE user_id = ${userId} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
  );
}
