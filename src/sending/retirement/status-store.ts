import type pg from "pg";
import type { Hex } from "viem";
import type { Tx } from "../../db/transaction.ts";

/** How far a wallet's retirement is. */
export interface RetirementStatus {
  chainId: number;
  wallet: string;
  retiredAt: Date;
  /** Of the wallet: active, paused or halted; and why. */
  state: string;
  stateReason: string | null;
  isChainHalted: boolean;
  /** A worker has its key, and drives it. */
  isDriven: boolean;
  pass: number;
  /** Users who ever enabled it; how many this pass has checked, and how many of these were delegated to it still. */
  users: number;
  checked: number;
  delegated: number;
  /** Undelegations by this wallet since, by whomever they were asked for. */
  undelegations: { waiting: number; sent: number; confirmed: number; failed: number };
  /** When no delegation to it was left and nothing of it was under way; null before. */
  finishedAt: Date | null;
}

interface RawStatus {
  retired_at: Date;
  finished_at: Date | null;
  state: string;
  state_reason: string | null;
  is_chain_halted: boolean;
  is_driven: boolean;
  pass: number;
  users: number;
  checked: number;
  delegated: number;
  waiting: number;
  sent: number;
  confirmed: number;
  failed: number;
}

const STATUS = `
  SELECT r.retired_at, r.finished_at, w.state, w.state_reason, r.pass, r.checked, r.delegated,
    EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = r.chain_id) AS is_chain_halted,
    coalesce(w.lease_until > now(), false) AS is_driven,
    (SELECT count(*)::int FROM (
       SELECT DISTINCT product_type, user_address FROM app.send_request
       WHERE chain_id = $1 AND wallet = $2 AND operation = '1ct/enable') u) AS users,
    d.*
  FROM app.wallet_retirement r JOIN app.delegatee_wallet w USING (chain_id, address) CROSS JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE state = 'accepted'))::int AS waiting,
      (count(*) FILTER (WHERE state IN ('signed', 'broadcast', 'mined')))::int AS sent,
      (count(*) FILTER (WHERE outcome = 'confirmed'))::int AS confirmed,
      (count(*) FILTER (WHERE state IN ('failed', 'canceled') OR outcome = 'reverted'))::int AS failed
    FROM app.send_request
    WHERE chain_id = $1 AND wallet = $2 AND operation = '1ct/disable' AND accepted_at >= r.retired_at) d
  WHERE r.chain_id = $1 AND r.address = $2`;

/** Returns how far a wallet's retirement is; null where it is not retired. */
export async function readRetirement(
  pool: pg.Pool,
  chainId: number,
  wallet: Hex,
): Promise<RetirementStatus | null> {
  const { rows } = await pool.query<RawStatus>(STATUS, [chainId, wallet]);
  const [raw] = rows;
  if (!raw) return null;
  const { waiting, sent, confirmed, failed, pass, users, checked, delegated, state } = raw;
  return {
    ...{ chainId, wallet, retiredAt: raw.retired_at, state, stateReason: raw.state_reason },
    ...{ isChainHalted: raw.is_chain_halted, isDriven: raw.is_driven },
    ...{ pass, users, checked, delegated, undelegations: { waiting, sent, confirmed, failed } },
    finishedAt: raw.finished_at,
  };
}

/**
 * Takes a wallet out of the choice of new users, and lets workers undelegate those it has; all of them anew where that was
 * done. @returns false where it was retired before; null where there is no such wallet
 */
export async function retireWallet(tx: Tx, chainId: number, wallet: Hex): Promise<boolean | null> {
  const { rows } = await tx.query<{ assignable: boolean }>(
    "SELECT assignable FROM app.delegatee_wallet WHERE chain_id = $1 AND address = $2 FOR NO KEY UPDATE",
    [chainId, wallet],
  );
  if (!rows[0]) return null;
  await tx.query("UPDATE app.delegatee_wallet SET assignable = false WHERE chain_id = $1 AND address = $2", [
    chainId,
    wallet,
  ]);
  await tx.query(
    `INSERT INTO app.wallet_retirement AS r (chain_id, address) VALUES ($1, $2)
     ON CONFLICT (chain_id, address) DO UPDATE SET finished_at = NULL, pass = 1, after_product = '', after_user = '',
       checked = 0, delegated = 0, pass_block = NULL, clear_block = NULL, run = r.run + 1, next_at = now()
     WHERE r.finished_at IS NOT NULL`,
    [chainId, wallet],
  );
  return rows[0].assignable;
}
