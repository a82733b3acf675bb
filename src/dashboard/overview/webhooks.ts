import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { queryOne } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { storedSeconds } from "../../protocol/shapes.ts";

const rowSchema = z.object({ count: z.number(), since: storedSeconds.nullable() });

/**
 * GraphQL `Dashboard.failingWebhooks`. The index of failing webhooks has these alone, so that the statement does not grow with the
 * table.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export function readFailingWebhooks({ pool }: Pick<Deps, "pool">) {
  const statement = sql`
    SELECT count(*)::int AS count, floor(extract(epoch FROM min(w.failing_since)))::bigint::text AS since
    FROM app.webhook w JOIN app.api_key k ON k.key_id = w.key_id AND k.active AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
    WHERE w.failing_since IS NOT NULL AND w.disabled_at IS NULL AND w.deleted_at IS NULL`;
  return queryOne(pool, statement, rowSchema);
}

const factsSchema = z.object({ hasEnabled: z.boolean(), disabled: z.number() });

/** Figures of the webhooks of keys in use that a dashboard watches. */
export interface WebhookFacts {
  /** True where there is one to deliver to. */
  hasEnabled: boolean;
  failing: number;
  /** When the first of them began to fail, Unix seconds. */
  failingSince: number | null;
  /** Disabled in the last 24 hours. */
  disabled: number;
}

/** @throws ApiError DATABASE_UNAVAILABLE */
export async function readWebhookFacts({ pool }: Pick<Deps, "pool">): Promise<WebhookFacts> {
  const inUse = sql`
    FROM app.webhook w JOIN app.api_key k ON k.key_id = w.key_id AND k.active AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
    WHERE w.deleted_at IS NULL`;
  const statement = sql`
    SELECT EXISTS (SELECT ${inUse} AND w.disabled_at IS NULL) AS has_enabled,
      (SELECT count(*)::int ${inUse} AND w.disabled_at > now() - INTERVAL '24 hours') AS disabled`;
  const [facts, { count, since }] = await Promise.all([
    queryOne(pool, statement, factsSchema),
    readFailingWebhooks({ pool }),
  ]);
  return { ...facts, failing: count, failingSince: since };
}
