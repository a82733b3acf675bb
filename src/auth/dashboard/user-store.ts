import type pg from "pg";
import { z } from "zod";
import { withDatabaseErrors } from "../../db/errors.ts";
import { DASHBOARD_ROLES } from "../../protocol/enums.ts";

const rowSchema = z
  .object({
    user_id: z.uuid(),
    name: z.string(),
    role: z.enum(DASHBOARD_ROLES),
    expires_at: z.date().nullable(),
    revoked_at: z.date().nullable(),
    last_used_at: z.date().nullable(),
  })
  .transform((row) => ({
    userId: row.user_id,
    name: row.name,
    role: row.role,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }));

export type StoredUser = z.output<typeof rowSchema>;

/** Finds a dashboard user, revoked and expired ones too, by the hash of their token. @throws ApiError DATABASE_UNAVAILABLE */
export async function findByTokenHash(pool: pg.Pool, tokenHash: Buffer): Promise<StoredUser | null> {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<object>(
      `SELECT user_id::text, name, role::text, expires_at, revoked_at, last_used_at
       FROM app.dashboard_user WHERE token_hash = $1`,
      [tokenHash],
    ),
  );
  return rows[0] ? rowSchema.parse(rows[0]) : null;
}

/** Notes that a token is in use, unless that was noted less than a minute ago, by any replica. */
export async function noteUse(pool: pg.Pool, userId: string): Promise<void> {
  await pool.query(
    `UPDATE app.dashboard_user SET last_used_at = now()
     WHERE user_id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [userId],
  );
}
