import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { queryMaybeOne, queryRows } from "../../../../src/db/query.ts";
import { raw, sql } from "../../../../src/db/sql.ts";
import { storedHex } from "../../../../src/protocol/shapes.ts";
import { stateOf, unsignedNonceOf } from "../../../../src/sending/outbox/rows.ts";

const queuedSchema = z.object({
  requestId: z.string(),
  chainId: z.number(),
  productType: z.string(),
  wallet: storedHex,
  userAddress: storedHex,
  apiKey: z.string(),
  operation: z.string(),
  state: z.string(),
  nonce: z.string().nullable(),
  txHash: storedHex.nullable(),
  fillReason: z.string().nullable(),
  errCode: z.string().nullable(),
  reason: z.string().nullable(),
  minedBlock: z.string().nullable(),
  acceptedAt: z.date(),
  ageSeconds: z.number(),
  /** State of its wallet, as a worker saw it last. */
  walletState: z.string(),
  stateReason: z.string().nullable(),
  chainNonce: z.string().nullable(),
  halted: z.boolean(),
  /** State of its key and user. */
  revoked: z.boolean(),
  killed: z.boolean(),
  blocked: z.boolean(),
  /** Nonce of its wallet that was reserved 10 s ago or longer, and is not signed. */
  unsignedNonce: z.string().nullable(),
  /** Facts of its newest attempt. */
  broadcasts: z.number().nullable(),
  answer: z.string().nullable(),
});

/** A request to send, with the facts that its progress depends on. */
export type QueuedRow = z.output<typeof queuedSchema>;

const SELECT = sql`
  SELECT r.request_id, r.chain_id, r.product_type, r.wallet, r.user_address, k.api_key, r.operation, ${raw(stateOf("r"))} AS state, r.nonce,
    r.tx_hash, r.fill_reason, r.err_code, r.reason, r.mined_block, r.accepted_at,
    extract(epoch FROM now() - r.accepted_at)::float8 AS age_seconds,
    w.state AS wallet_state, w.state_reason, w.chain_nonce,
    EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = r.chain_id) AS halted,
    k.revoked_at IS NOT NULL AS revoked, coalesce(p.killed, false) AS killed, coalesce(d.blocked, false) AS blocked,
    ${raw(unsignedNonceOf("r"))} AS unsigned_nonce,
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

/** Returns requests that are not final, oldest first. */
export function readQueue(
  pool: pg.Pool,
  { chainId, wallet, state, limit }: QueueFilter,
): Promise<QueuedRow[]> {
  const statement = sql`
    ${SELECT}
    WHERE r.state IN ('accepted', 'signed', 'broadcast', 'mined')
      AND (${chainId}::int IS NULL OR r.chain_id = ${chainId}::int)
      AND (${wallet}::text IS NULL OR r.wallet = ${wallet}::text)
      AND (${state}::text IS NULL OR ${raw(stateOf("r"))} = ${state}::text)
    ORDER BY r.sequence LIMIT ${limit}`;
  return queryRows(pool, statement, queuedSchema);
}

/** Returns a request in any state, or null. */
export function readRequest(pool: pg.Pool, requestId: string): Promise<QueuedRow | null> {
  return queryMaybeOne(pool, sql`${SELECT} WHERE r.request_id = ${requestId}`, queuedSchema);
}

const attemptSchema = z.object({
  kind: z.string(),
  txHash: storedHex.nullable(),
  gasLimit: z.string(),
  maxFeePerGas: z.string(),
  maxPriorityFee: z.string(),
  broadcasts: z.number(),
  taken: z.number(),
  refusals: z.number(),
  answer: z.string().nullable(),
  createdAt: z.date(),
  lastBroadcastAt: z.date().nullable(),
});

/** A signed attempt of a request. Signed bytes are left out: anyone who has them can broadcast them. */
export type AttemptRow = z.output<typeof attemptSchema>;

/** Returns the attempts of a request, oldest first. */
export function readAttempts(pool: pg.Pool, requestId: string): Promise<AttemptRow[]> {
  const statement = sql`
    SELECT kind, tx_hash, gas_limit, max_fee_per_gas, max_priority_fee, broadcasts, taken, refusals, answer, created_at,
      last_broadcast_at
    FROM app.send_attempt WHERE request_id = ${requestId} ORDER BY attempt_id`;
  return queryRows(pool, statement, attemptSchema);
}
