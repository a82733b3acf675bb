import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { queryRows } from "../../db/query.ts";
import { empty, raw, type Sql, sql } from "../../db/sql.ts";
import { storedAmount, storedHex } from "../../protocol/shapes.ts";
import { SEND_STATES, stateOf, unsignedNonceOf } from "../../sending/outbox/rows.ts";
import type { Subject } from "./subject-store.ts";

/** Reads the requests to send of a timeline, with their attempts and what may hold them up. */

const integer = z.string().transform((value) => BigInt(value));
const instant = z.string().transform(Number);

const sendSchema = z.object({
  requestId: z.string(),
  keyName: z.string(),
  productType: z.string(),
  operation: z.string(),
  userAddress: storedHex,
  wallet: storedHex,
  claimId: z.string().nullable(),
  gasLimit: integer,
  deadline: integer.nullable(),
  notional: storedAmount.nullable(),
  symbol: z.string().nullable(),
  clientOrderId: z.string().nullable(),
  envelopeUuid: z.string().nullable(),
  state: z.enum(SEND_STATES),
  nonce: integer.nullable(),
  txHash: storedHex.nullable(),
  fillReason: z.string().nullable(),
  minedBlock: integer.nullable(),
  minedSuccess: z.boolean().nullable(),
  minedFiller: z.boolean().nullable(),
  outcome: z.string().nullable(),
  errCode: z.string().nullable(),
  revert: z.string().nullable(),
  reason: z.string().nullable(),
  acceptedMs: instant,
  signedMs: instant.nullable(),
  /** Time of the first broadcast or of the receipt; unlike the times of attempts, a reorg does not change it. */
  broadcastMs: instant.nullable(),
  minedMs: instant.nullable(),
  finalMs: instant.nullable(),
  dailyCap: storedAmount.nullable(),
  killed: z.boolean(),
  revoked: z.boolean(),
  walletState: z.string(),
  walletReason: z.string().nullable(),
  /** Requests that wait at the wallet before this one, up to AHEAD_MAX; null once it is signed. */
  ahead: z.number().nullable(),
  /** Lowest nonce of the wallet that is not mined. */
  firstNonce: integer.nullable(),
  /** Lowest nonce without a signature for 10 s. */
  unsignedNonce: integer.nullable(),
});

const attemptSchema = z.object({
  requestId: z.string(),
  kind: z.enum(["call", "filler"]),
  maxFeePerGas: storedAmount,
  maxPriorityFee: storedAmount,
  txHash: storedHex.nullable(),
  broadcasts: z.number(),
  taken: z.number(),
  answer: z.string().nullable(),
  createdMs: instant,
  firstBroadcastMs: instant.nullable(),
  lastBroadcastMs: instant.nullable(),
});
export type AttemptRow = z.output<typeof attemptSchema>;

/** A request to send, with what was signed for it, oldest first. */
export interface SentRequest extends z.output<typeof sendSchema> {
  attempts: AttemptRow[];
}

const ms = (column: string, alias: string): Sql =>
  raw(`(extract(epoch FROM ${column}) * 1000)::bigint::text AS ${alias}`);

const AHEAD_MAX = 1_000;
const SENDS_MAX = 50;
/** Each attempt offers a higher fee than the one before, up to a cap: far fewer than this. */
const ATTEMPTS_MAX = 1_000;

const COLUMNS = sql`
  r.request_id::text AS request_id, k.name AS key_name, r.product_type, r.operation, r.user_address, r.wallet,
  r.claim_id::text AS claim_id, r.gas_limit::text AS gas_limit, r.deadline::text AS deadline,
  r.notional::text AS notional, r.symbol, r.client_order_id, r.envelope_uuid::text AS envelope_uuid, ${raw(stateOf("r"))} AS state,
  r.nonce::text AS nonce, r.tx_hash, r.fill_reason, r.mined_block::text AS mined_block, r.mined_success, r.mined_filler,
  r.outcome, r.err_code, r.revert, r.reason, ${ms("r.accepted_at", "accepted_ms")}, ${ms("r.signed_at", "signed_ms")},
  ${ms("r.broadcast_at", "broadcast_ms")},
  ${ms("r.mined_at", "mined_ms")}, ${ms("r.final_at", "final_ms")}, p.daily_notional_cap::text AS daily_cap,
  coalesce(p.killed, false) AS killed, k.revoked_at IS NOT NULL AS revoked, w.state AS wallet_state,
  w.state_reason AS wallet_reason,
  CASE r.state WHEN 'accepted' THEN (SELECT count(*)::int FROM (
    SELECT FROM app.send_request b WHERE b.chain_id = r.chain_id AND b.wallet = r.wallet AND b.state = 'accepted'
      AND b.sequence < r.sequence LIMIT ${AHEAD_MAX}) b) END AS ahead,
  (SELECT min(b.nonce)::text FROM app.send_request b WHERE b.chain_id = r.chain_id AND b.wallet = r.wallet
    AND b.state IN ('signed', 'broadcast')) AS first_nonce, ${raw(unsignedNonceOf("r"))} AS unsigned_nonce`;

/**
 * Returns the requests of a timeline, oldest first: those behind its claims and events, and those that cancel its order.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function readSends(
  { pool }: Pick<Deps, "pool">,
  { kind, id, chainId, productType, requestId }: Subject,
  found: { claimIds: readonly string[]; requestIds: readonly string[] },
): Promise<SentRequest[]> {
  const requestIds = [...found.requestIds, ...(requestId === null ? [] : [requestId])];
  const cancels =
    kind === "order"
      ? sql`
          UNION SELECT r.request_id FROM app.send_request r
          WHERE r.chain_id = ${chainId} AND r.product_type = ${productType} AND r.operation_key = ${`cancel:${id}`}`
      : empty;
  const statement = sql`
      WITH found AS (
        SELECT l.request_id FROM unnest(${requestIds}::uuid[]) AS l (request_id)
        UNION SELECT r.request_id FROM unnest(${found.claimIds}::uuid[]) AS l (claim_id)
        JOIN app.send_request r ON r.claim_id = l.claim_id ${cancels})
      SELECT ${COLUMNS} FROM found f JOIN app.send_request r ON r.request_id = f.request_id
      JOIN app.api_key k ON k.key_id = r.key_id LEFT JOIN app.key_policy p ON p.key_id = r.key_id
      JOIN app.delegatee_wallet w ON w.chain_id = r.chain_id AND w.address = r.wallet
      WHERE r.chain_id = ${chainId} ORDER BY r.sequence LIMIT ${SENDS_MAX}`;
  const sends = await queryRows(pool, statement, sendSchema);
  const attempts = sends.length > 0 ? await readAttempts(pool, sends) : [];
  return sends.map((send) => ({
    ...send,
    attempts: attempts.filter(({ requestId }) => requestId === send.requestId),
  }));
}

/** Reads attempts without their signed bytes. */
function readAttempts(pool: Deps["pool"], sends: readonly { requestId: string }[]): Promise<AttemptRow[]> {
  const statement = sql`
      SELECT a.request_id::text AS request_id, a.kind, a.max_fee_per_gas::text AS max_fee_per_gas,
        a.max_priority_fee::text AS max_priority_fee, a.tx_hash, a.broadcasts, a.taken, a.answer,
        ${ms("a.created_at", "created_ms")}, ${ms("a.first_broadcast_at", "first_broadcast_ms")},
        ${ms("a.last_broadcast_at", "last_broadcast_ms")}
      FROM app.send_attempt a WHERE a.request_id = ANY(${sends.map(({ requestId }) => requestId)}::uuid[])
      ORDER BY a.attempt_id LIMIT ${ATTEMPTS_MAX}`;
  return queryRows(pool, statement, attemptSchema);
}
