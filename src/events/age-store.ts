import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../db/query.ts";
import { join, raw, sql } from "../db/sql.ts";
import { LISTED } from "./writer/sources/lists.ts";

const ageSchema = z.object({ chainId: z.number(), oldest: z.coerce.number().nullable() });

/**
 * Returns, for each chain whose log has begun, the block time of the oldest change in the index that the log has not got to, Unix
 * seconds; null where it has got to all of them.
 */
export async function readOldestUnreported(pool: pg.Pool): Promise<Map<number, number | null>> {
  const parts = LISTED.map(({ table, block }) => {
    const column = raw(`o.${block}`);
    const time = raw(block === "updated_block" ? "o.updated_at" : "o.created_at");
    return sql`
      (SELECT ${time} AS at FROM ${raw(`onchain.${table}`)} o
        WHERE o.chain_id = c.chain_id AND ${column} > c.block_number::numeric ORDER BY ${column} LIMIT 1)`;
  });
  const statement = sql`
    SELECT c.chain_id, (SELECT min(p.at)::text FROM (${join(parts, " UNION ALL ")}) p) AS oldest
    FROM app.event_chain c`;
  const rows = await queryRows(pool, statement, ageSchema);
  return new Map(rows.map(({ chainId, oldest }) => [chainId, oldest]));
}
