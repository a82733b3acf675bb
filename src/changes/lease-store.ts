import type pg from "pg";
import { z } from "zod";
import { execute, queryMaybeOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";

/** The lease on reading a chain's changes. */
export interface ReaderLease {
  chainId: number;
  /** Id of the process. */
  owner: string;
  ms: number;
}

/**
 * Takes or renews the lease of a chain's reader. Only the database's clock counts.
 * @returns the epoch, raised where the lease changed hands, or null where another worker holds it
 */
export async function takeReaderLease(
  pool: pg.Pool,
  { chainId, owner, ms }: ReaderLease,
): Promise<bigint | null> {
  const statement = sql`
    INSERT INTO app.change_reader AS r (chain_id, lease_owner, lease_epoch, lease_until)
    VALUES (${chainId}, ${owner}, 1, now() + ${ms} * interval '1 millisecond')
    ON CONFLICT (chain_id) DO UPDATE SET
      lease_epoch = r.lease_epoch + CASE WHEN r.lease_owner = excluded.lease_owner AND r.lease_until >= now() THEN 0 ELSE 1 END,
      lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
    WHERE r.lease_owner IS NULL OR r.lease_until < now() OR r.lease_owner = excluded.lease_owner
    RETURNING r.lease_epoch`;
  return (await queryMaybeOne(pool, statement, leaseSchema))?.leaseEpoch ?? null;
}

const leaseSchema = z.object({ leaseEpoch: z.coerce.bigint() });

/** Gives a lease back, so that another worker need not wait for its end. */
export async function releaseReaderLease(
  pool: pg.Pool,
  { chainId, owner }: Pick<ReaderLease, "chainId" | "owner">,
): Promise<void> {
  const statement = sql`
    UPDATE app.change_reader SET lease_owner = NULL, lease_until = NULL
    WHERE chain_id = ${chainId} AND lease_owner = ${owner}`;
  await execute(pool, statement);
}
