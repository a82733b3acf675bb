import type { LogName } from "../context/input/event-cursor.ts";
import { type Sql, sql } from "../db/sql.ts";

/** Returns the sequence of the last event of a key in one scope, as a scalar subquery. */
export const headOf = ({ keyId, chainId, productType }: LogName): Sql => sql`
  coalesce((SELECT h.sequence FROM app.event_head h WHERE h.key_id = ${keyId}::uuid AND h.chain_id = ${chainId}
    AND h.product_type = ${productType}), 0)::text`;
