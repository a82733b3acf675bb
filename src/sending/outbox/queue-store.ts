import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../../db/query.ts";
import { raw, sql } from "../../db/sql.ts";
import { isReserved } from "./rows.ts";

/** State of one sending wallet and its requests. */
export interface Queue {
  chainId: number;
  wallet: string;
  /** active, paused or halted. */
  state: string;
  stateReason: string | null;
  /** True where it takes no new users. */
  retired: boolean;
  /** Time at which no delegation to a retired wallet was left, and none of its requests was under way, Unix seconds; null before. */
  undelegatedAt: number | null;
  nextNonce: number | null;
  /** Balance that a worker read last, wei. */
  balanceWei: string | null;
  chainNonce: number | null;
  /** Unix seconds. */
  observedAt: number | null;
  /** Requests that are not final, by state. */
  depth: { accepted: number; signed: number; broadcast: number; mined: number };
  /** Age of the oldest request without a receipt. */
  oldestSeconds: number | null;
  /** Time since the oldest nonce was reserved whose transaction is not signed; null without one. */
  unsignedSeconds: number | null;
}

const rowSchema = z.object({
  chainId: z.number(),
  address: z.string(),
  state: z.string(),
  stateReason: z.string().nullable(),
  assignable: z.boolean(),
  undelegatedAt: z.coerce.number().nullable(),
  nextNonce: z.coerce.number().nullable(),
  balanceWei: z.string().nullable(),
  chainNonce: z.coerce.number().nullable(),
  observedAt: z.coerce.number().nullable(),
  accepted: z.number(),
  signed: z.number(),
  broadcast: z.number(),
  mined: z.number(),
  oldestSeconds: z.coerce.number().nullable(),
  unsignedSeconds: z.coerce.number().nullable(),
});

/** Returns every wallet of a chain, or of all where it is null. */
export async function readQueues(pool: pg.Pool, chainId: number | null): Promise<Queue[]> {
  const statement = sql`
    SELECT w.chain_id, w.address, w.state, w.state_reason, w.assignable, w.next_nonce, w.balance_wei,
       w.chain_nonce,
       extract(epoch FROM w.observed_at)::bigint AS observed_at,
       extract(epoch FROM t.finished_at)::bigint AS undelegated_at,
       q.*
     FROM app.delegatee_wallet w LEFT JOIN app.wallet_retirement t USING (chain_id, address) CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE r.state = 'accepted')::int AS accepted,
         count(*) FILTER (WHERE r.state = 'signed')::int AS signed,
         count(*) FILTER (WHERE r.state = 'broadcast')::int AS broadcast,
         count(*) FILTER (WHERE r.state = 'mined')::int AS mined,
         extract(epoch FROM now() - min(r.accepted_at) FILTER (WHERE r.state <> 'mined'))::float8 AS oldest_seconds,
         extract(epoch FROM now() - min(r.signed_at) FILTER (WHERE ${raw(isReserved("r"))}))::float8 AS unsigned_seconds
       FROM app.send_request r
       WHERE r.chain_id = w.chain_id AND r.wallet = w.address
         AND r.state IN ('accepted', 'signed', 'broadcast', 'mined')) q
     WHERE ${chainId}::int IS NULL OR w.chain_id = ${chainId}::int
     ORDER BY w.chain_id, w.address`;
  const wallets = await queryRows(pool, statement, rowSchema);
  return wallets.map(({ address, assignable, accepted, signed, broadcast, mined, ...queue }) => ({
    ...queue,
    wallet: address,
    retired: !assignable,
    depth: { accepted, signed, broadcast, mined },
  }));
}

const failuresSchema = z.object({ wallet: z.string(), errCode: z.string(), count: z.number() });

/** Number of a wallet's requests that failed for one cause. */
export type Failures = z.output<typeof failuresSchema>;

/**
 * Returns the number of failed requests by wallet and cause, of a chain or of all where it is null. The states stand in the
 * statement: as parameters, they would keep a generic plan from the partial index of failed requests.
 */
export function readFailures(pool: pg.Pool, chainId: number | null): Promise<Failures[]> {
  const statement = sql`
    SELECT wallet, err_code, count(*)::int AS count FROM app.send_request
     WHERE err_code IS NOT NULL AND (state IN ('failed', 'canceled') OR outcome = 'reverted')
       AND (${chainId}::int IS NULL OR chain_id = ${chainId}::int) GROUP BY chain_id, wallet, err_code`;
  return queryRows(pool, statement, failuresSchema);
}
