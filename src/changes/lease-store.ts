import type pg from "pg";
import { withDatabaseErrors } from "../db/errors.ts";

/** Who reads a chain's changes. */
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
  const { rows } = await withDatabaseErrors(() =>
    pool.query<{ lease_epoch: string }>(
      `INSERT INTO app.change_reader AS r (chain_id, lease_owner, lease_epoch, lease_until)
       VALUES ($1, $2, 1, now() + $3 * interval '1 millisecond')
       ON CONFLICT (chain_id) DO UPDATE SET
         lease_epoch = r.lease_epoch + CASE WHEN r.lease_owner = $2 AND r.lease_until >= now() THEN 0 ELSE 1 END,
         lease_owner = $2, lease_until = excluded.lease_until
       WHERE r.lease_owner IS NULL OR r.lease_until < now() OR r.lease_owner = $2
       RETURNING r.lease_epoch`,
      [chainId, owner, ms],
    ),
  );
  return rows[0] ? BigInt(rows[0].lease_epoch) : null;
}

/** Gives a lease back, so that another worker need not wait for its end. */
export async function releaseReaderLease(
  pool: pg.Pool,
  { chainId, owner }: Pick<ReaderLease, "chainId" | "owner">,
): Promise<void> {
  await withDatabaseErrors(() =>
    pool.query(
      "UPDATE app.change_reader SET lease_owner = NULL, lease_until = NULL WHERE chain_id = $1 AND lease_owner = $2",
      [chainId, owner],
    ),
  );
}
