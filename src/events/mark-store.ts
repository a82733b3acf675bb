import type { LogName } from "../context/input/event-cursor.ts";
import { type Sql, sql } from "../db/sql.ts";

/**
 * Bounds reads of a log by the partitions of app.event. Those are ranges of positions, and positions grow with the sequences of a log;
 * app.event_mark has the end of each log where a partition begins (docs/operations/partitions.md).
 */

/** Columns that name a log. */
interface LogColumns {
  keyId: Sql;
  chainId: Sql;
  productType: Sql;
}

/** The log of the webhook `w`. */
export const OF_WEBHOOK: LogColumns = {
  keyId: sql`w.key_id`,
  chainId: sql`w.chain_id`,
  productType: sql`w.product_type`,
};

const marksOf = ({ keyId, chainId, productType }: LogName | LogColumns): Sql => sql`
  FROM app.event_mark m
  WHERE m.key_id = ${keyId}::uuid AND m.chain_id = ${chainId}::int AND m.product_type = ${productType}::text`;

/**
 * Returns the position at or above which all events behind a sequence are, as a scalar subquery. Where no mark is known it
 * bounds nothing.
 */
export const floorOf = (eventLog: LogName | LogColumns, sequence: bigint | number | Sql): Sql => sql`
  coalesce((SELECT max(m.position) ${marksOf(eventLog)} AND m.sequence <= ${sequence}::bigint), ${LOWEST}::bigint)`;

/** Returns the position below which all events up to a sequence are, as a scalar subquery. */
export const ceilingOf = (eventLog: LogName, sequence: bigint): Sql => sql`
  coalesce((SELECT min(m.position) ${marksOf(eventLog)} AND m.sequence >= ${sequence}::bigint), ${HIGHEST}::bigint)`;

const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;
