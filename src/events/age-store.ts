import type pg from "pg";
import { z } from "zod";
import { Prisma } from "../db/generated/client.ts";
import { SOURCES, select } from "./writer/changes-store.ts";

const ageSchema = z.object({ chain_id: z.number(), oldest: z.coerce.number().nullable() });

/**
 * Returns, for each chain whose log has begun, the block time of the oldest change in the index that the log has not got to, Unix
 * seconds; null where it has got to all of them.
 */
export async function readOldestUnreported(pool: pg.Pool): Promise<Map<number, number | null>> {
  const parts = SOURCES.map(({ table, block }) => {
    const column = Prisma.raw(`o.${block}`);
    const time = Prisma.raw(block === "updated_block" ? "o.updated_at" : "o.created_at");
    return Prisma.sql`
      (SELECT ${time} AS at FROM ${Prisma.raw(`onchain.${table}`)} o
        WHERE o.chain_id = c.chain_id AND ${column} > c.block_number::numeric ORDER BY ${column} LIMIT 1)`;
  });
  const rows = await select(
    pool,
    Prisma.sql`
      SELECT c.chain_id, (SELECT min(p.at)::text FROM (${Prisma.join(parts, " UNION ALL ")}) p) AS oldest
      FROM app.event_chain c`,
  );
  return new Map(rows.map((row) => ageSchema.parse(row)).map(({ chain_id, oldest }) => [chain_id, oldest]));
}
