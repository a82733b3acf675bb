import type pg from "pg";
import type { Hex } from "viem";

/** A request to send, with what decides when it goes on. */
export interface QueuedRow {
  request_id: string;
  chain_id: number;
  product_type: string;
  wallet: Hex;
  user_address: Hex;
  api_key: string;
  operation: string;
  state: string;
  nonce: string | null;
  tx_hash: Hex | null;
  fill_reason: string | null;
  err_code: string | null;
  reason: string | null;
  mined_block: string | null;
  accepted_at: Date;
  age_seconds: number;
  /** Of its wallet, as a worker saw it last. */
  wallet_state: string;
  state_reason: string | null;
  chain_nonce: string | null;
  halted: boolean;
  /** Of its key and user. */
  revoked: boolean;
  killed: boolean;
  blocked: boolean;
  /** Of its newest attempt. */
  broadcasts: number | null;
  answer: string | null;
}

const SELECT = `
  SELECT r.request_id, r.chain_id, r.product_type, r.wallet, r.user_address, k.api_key, r.operation, r.state, r.nonce,
    r.tx_hash, r.fill_reason, r.err_code, r.reason, r.mined_block, r.accepted_at,
    extract(epoch FROM now() - r.accepted_at)::float8 AS age_seconds,
    w.state AS wallet_state, w.state_reason, w.chain_nonce,
    EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = r.chain_id) AS halted,
    k.revoked_at IS NOT NULL AS revoked, coalesce(p.killed, false) AS killed, coalesce(d.blocked, false) AS blocked,
    a.broadcasts, a.answer
  FROM app.send_request r
  JOIN app.api_key k USING (key_id)
  JOIN app.delegatee_wallet w ON w.chain_id = r.chain_id AND w.address = r.wallet
  LEFT JOIN app.key_policy p USING (key_id)
  LEFT JOIN app.delegation d ON d.chain_id = r.chain_id AND d.product_type = r.product_type
    AND d.user_address = r.user_address
  LEFT JOIN LATERAL (
    SELECT broadcasts, answer FROM app.send_attempt t WHERE t.request_id = r.request_id
    ORDER BY attempt_id DESC LIMIT 1) a ON true`;

export interface QueueFilter {
  chainId: number | null;
  wallet: Hex | null;
  state: string | null;
  limit: number;
}

/** Returns requests that are not final, the oldest first. */
export async function readQueue(
  pool: pg.Pool,
  { chainId, wallet, state, limit }: QueueFilter,
): Promise<QueuedRow[]> {
  const { rows } = await pool.query<QueuedRow>(
    `${SELECT}
     WHERE r.state IN ('accepted', 'signed', 'broadcast', 'mined') AND ($1::int IS NULL OR r.chain_id = $1)
       AND ($2::text IS NULL OR r.wallet = $2) AND ($3::text IS NULL OR r.state = $3)
     ORDER BY r.sequence LIMIT $4`,
    [chainId, wallet, state, limit],
  );
  return rows;
}

/** Returns a request in any state, or null. */
export async function readRequest(pool: pg.Pool, requestId: string): Promise<QueuedRow | null> {
  const { rows } = await pool.query<QueuedRow>(`${SELECT} WHERE r.request_id = $1`, [requestId]);
  return rows[0] ?? null;
}

/** The attempts that were signed for a request. Signed bytes are left out: anyone who has them can broadcast them. */
export interface AttemptRow {
  kind: string;
  tx_hash: Hex | null;
  gas_limit: string;
  max_fee_per_gas: string;
  max_priority_fee: string;
  broadcasts: number;
  taken: number;
  refusals: number;
  answer: string | null;
  created_at: Date;
  last_broadcast_at: Date | null;
}

/** Returns what was signed for a request, the oldest first. */
export async function readAttempts(pool: pg.Pool, requestId: string): Promise<AttemptRow[]> {
  const { rows } = await pool.query<AttemptRow>(
    `SELECT kind, tx_hash, gas_limit, max_fee_per_gas, max_priority_fee, broadcasts, taken, refusals, answer, created_at,
       last_broadcast_at
     FROM app.send_attempt WHERE request_id = $1 ORDER BY attempt_id`,
    [requestId],
  );
  return rows;
}
