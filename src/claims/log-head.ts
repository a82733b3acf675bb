import { z } from "zod";
import { withDatabaseErrors } from "../db/errors.ts";
import { Prisma } from "../db/generated/client.ts";
import type { Select } from "../db/select.ts";
import type { LogName } from "../input/event-cursor.ts";

/** Returns the sequence of the last event of a key in one scope, as a scalar subquery. */
export const headOf = ({ keyId, chainId, productType }: LogName): Prisma.Sql => Prisma.sql`
  coalesce((SELECT h.sequence FROM app.event_head h WHERE h.key_id = ${keyId}::uuid AND h.chain_id = ${chainId}
    AND h.product_type = ${productType}), 0)::text`;

const lastSchema = z.object({ head: z.coerce.bigint() });

/** Returns the sequence of the last event of a key in one scope. @throws ApiError DATABASE_UNAVAILABLE */
export async function readHead(select: Select, log: LogName): Promise<bigint> {
  const [row] = await withDatabaseErrors(() => select(Prisma.sql`SELECT ${headOf(log)} AS head`));
  return lastSchema.parse(row).head;
}
