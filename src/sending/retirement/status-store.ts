import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { KEY_LOST } from "./lost-key-store.ts";

const statusSchema = z.object({
  retiredAt: z.date(),
  /** State of the wallet: active, paused or halted; and its reason. */
  state: z.string(),
  stateReason: z.string().nullable(),
  isChainHalted: z.boolean(),
  /** True where a worker has its key, and drives it. */
  isDriven: z.boolean(),
  isKeyLost: z.boolean(),
  pass: z.int(),
  /** Users who ever enabled it; those that this pass has checked; and those of them who were still delegated to it. */
  users: z.int(),
  checked: z.int(),
  delegated: z.int(),
  /** Time at which no delegation to it was left and none of its requests was under way; null before. */
  finishedAt: z.date().nullable(),
});

const undelegationsSchema = z.object({
  waiting: z.int(),
  sent: z.int(),
  confirmed: z.int(),
  failed: z.int(),
});

/** Progress of a wallet's retirement. */
export interface RetirementStatus extends z.output<typeof statusSchema> {
  chainId: number;
  wallet: string;
  /** Undelegations by this wallet since, whoever requested them. */
  undelegations: z.output<typeof undelegationsSchema>;
}

/** Returns the progress of a wallet's retirement; null where it is not retired. */
export function readRetirement(
  pool: pg.Pool,
  chainId: number,
  wallet: Hex,
): Promise<RetirementStatus | null> {
  const statement = sql`
    SELECT r.retired_at, r.finished_at, w.state, w.state_reason, r.pass, r.checked, r.delegated,
      EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = r.chain_id) AS is_chain_halted,
      coalesce(w.lease_until > now() AND w.lease_owner <> ${KEY_LOST}, false) AS is_driven,
      coalesce(w.lease_owner = ${KEY_LOST}, false) AS is_key_lost,
      (SELECT count(*)::int FROM (
         SELECT DISTINCT product_type, user_address FROM app.send_request
         WHERE chain_id = ${chainId} AND wallet = ${wallet} AND operation = '1ct/enable') u) AS users,
      d.waiting, d.sent, d.confirmed, d.failed
    FROM app.wallet_retirement r JOIN app.delegatee_wallet w USING (chain_id, address) CROSS JOIN LATERAL (
      SELECT (count(*) FILTER (WHERE state = 'accepted'))::int AS waiting,
        (count(*) FILTER (WHERE state IN ('signed', 'broadcast', 'mined')))::int AS sent,
        (count(*) FILTER (WHERE outcome = 'confirmed'))::int AS confirmed,
        (count(*) FILTER (WHERE state IN ('failed', 'canceled') OR outcome = 'reverted'))::int AS failed
      FROM app.send_request
      WHERE chain_id = ${chainId} AND wallet = ${wallet} AND operation = '1ct/disable' AND accepted_at >= r.retired_at) d
    WHERE r.chain_id = ${chainId} AND r.address = ${wallet}`;
  const parse = (row: unknown): RetirementStatus => ({
    chainId,
    wallet,
    ...statusSchema.parse(row),
    undelegations: undelegationsSchema.parse(row),
  });
  return queryMaybeOne(pool, statement, { parse });
}

const assignableSchema = z.object({ assignable: z.boolean() });

/**
 * Stops assigning new users to a wallet, and lets workers undelegate those it has; starts over where that was done.
 * @returns false where it was retired before; null where there is no such wallet
 */
export async function retireWallet(tx: Tx, chainId: number, wallet: Hex): Promise<boolean | null> {
  const lock = sql`
    SELECT assignable FROM app.delegatee_wallet WHERE chain_id = ${chainId} AND address = ${wallet} FOR NO KEY UPDATE`;
  const before = await queryMaybeOne(tx, lock, assignableSchema);
  if (!before) return null;
  await execute(
    tx,
    sql`UPDATE app.delegatee_wallet SET assignable = false WHERE chain_id = ${chainId} AND address = ${wallet}`,
  );
  await execute(
    tx,
    sql`
      INSERT INTO app.wallet_retirement AS r (chain_id, address) VALUES (${chainId}, ${wallet})
      ON CONFLICT (chain_id, address) DO UPDATE SET finished_at = NULL, pass = 1, after_product = '', after_user = '',
        checked = 0, delegated = 0, pass_block = NULL, clear_block = NULL, run = r.run + 1, next_at = now()
      WHERE r.finished_at IS NOT NULL`,
  );
  return before.assignable;
}
