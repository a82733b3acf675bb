import { z } from "zod";
import { execute, queryMaybeOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import type { Tx } from "../db/transaction.ts";
import { HEALTHS } from "../protocol/enums.ts";

const stateSchema = z.object({
  health: z.enum(HEALTHS),
  sendingHalted: z.boolean(),
  marketDataHealth: z.enum(HEALTHS),
});
/** States of a chain and of the market data of a product. */
export type ServiceState = z.output<typeof stateSchema>;

/** A log's chain and product. */
export interface StatusScope {
  chainId: number;
  productType: string;
}

const reportSchema = z.object({
  observed: stateSchema,
  observedSince: z.date(),
  observedAt: z.date(),
  observedBy: z.string(),
  reported: stateSchema,
  reportedAt: z.date().nullable(),
  holdSeconds: z.number(),
  /** The database's time. */
  now: z.date(),
});
/** Observed and reported state of a scope. */
export type StatusReport = z.output<typeof reportSchema>;

/** Time for which a state must last before it is an event, after an hour without one, seconds. */
export const HOLD_SECONDS = 60;

/** Locks what is known of a scope. @returns null where nothing is */
export function lockReport(tx: Tx, { chainId, productType }: StatusScope): Promise<StatusReport | null> {
  const statement = sql`
    SELECT r.observed, r.observed_since, r.observed_at, r.observed_by::text AS observed_by, r.reported, r.reported_at, r.hold_seconds,
      clock_timestamp() AS now
    FROM app.status_report r WHERE r.chain_id = ${chainId} AND r.product_type = ${productType} FOR UPDATE`;
  return queryMaybeOne(tx, statement, reportSchema);
}

/** Stores the first state of a scope, as reported: nothing has changed yet. Another worker's is left as it is. */
export async function insertReport(
  tx: Tx,
  { chainId, productType }: StatusScope,
  { state, observer }: { state: ServiceState; observer: string },
): Promise<void> {
  const json = JSON.stringify(state);
  await execute(
    tx,
    sql`
      INSERT INTO app.status_report (chain_id, product_type, observed, observed_since, observed_at, observed_by, reported, hold_seconds)
      VALUES (${chainId}, ${productType}, ${json}::jsonb, now(), now(), ${observer}::uuid, ${json}::jsonb, ${HOLD_SECONDS})
      ON CONFLICT DO NOTHING`,
  );
}

/** Stores what is known of a scope now. */
export async function updateReport(
  tx: Tx,
  { chainId, productType }: StatusScope,
  report: StatusReport,
): Promise<void> {
  const { observed, observedSince, observedAt, observedBy, reported, reportedAt, holdSeconds } = report;
  await execute(
    tx,
    sql`
      UPDATE app.status_report SET observed = ${JSON.stringify(observed)}::jsonb, observed_since = ${observedSince}::timestamptz,
        observed_at = ${observedAt}::timestamptz, observed_by = ${observedBy}::uuid, reported = ${JSON.stringify(reported)}::jsonb,
        reported_at = ${reportedAt}::timestamptz, hold_seconds = ${holdSeconds}
      WHERE chain_id = ${chainId} AND product_type = ${productType}`,
  );
}
