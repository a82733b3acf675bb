import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import type { UsageKind } from "./rate-limits.ts";

const usageSchema = z.object({ kind: z.enum(["reads", "writes"]), used: z.number() });

/** Returns the cost units that a key has used of each of its limits in the present window; 0 where none is open. */
export async function readUsage(pool: pg.Pool, keyId: string): Promise<Record<UsageKind, number>> {
  const statement = sql`
    SELECT u.kind, CASE WHEN u.window_ends_at > now() THEN u.used ELSE 0 END AS used
    FROM app.key_usage u WHERE u.key_id = ${keyId}::uuid`;
  const rows = await queryRows(pool, statement, usageSchema);
  const usedOf = (kind: UsageKind) => rows.find((row) => row.kind === kind)?.used ?? 0;
  return { reads: usedOf("reads"), writes: usedOf("writes") };
}
