import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { storedSeconds } from "../../protocol/shapes.ts";

const rowSchema = z.object({ count: z.number(), since: storedSeconds.nullable() });

/**
 * GraphQL `Dashboard.failingWebhooks`. The index of failing webhooks has these alone, so that the statement does not grow with the
 * table.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function readFailingWebhooks({ pool }: Pick<Deps, "pool">) {
  const { rows } = await withDatabaseErrors(() =>
    pool.query<Record<string, unknown>>(
      `SELECT count(*)::int AS count, floor(extract(epoch FROM min(w.failing_since)))::bigint::text AS since
       FROM app.webhook w JOIN app.api_key k ON k.key_id = w.key_id AND k.active AND k.revoked_at IS NULL
         AND (k.expires_at IS NULL OR k.expires_at > now())
       WHERE w.failing_since IS NOT NULL AND w.disabled_at IS NULL AND w.deleted_at IS NULL`,
    ),
  );
  return rowSchema.parse(rows[0]);
}
