import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { Prisma } from "../../db/generated/client.ts";
import { storedAmount, storedHex } from "../../protocol/shapes.ts";
import { SEND_STATES } from "../../sending/outbox/rows.ts";
import { selectRows } from "../rows.ts";
import type { Subject } from "./subject-store.ts";

/** Reads the requests to send of a timeline, with their attempts and what may hold them up. */

const integer = z.string().transform((value) => BigInt(value));
const instant = z.string().transform(Number);

const sendSchema = z.object({
  request_id: z.string(),
  key_name: z.string(),
  product_type: z.string(),
  operation: z.string(),
  user_address: storedHex,
  wallet: storedHex,
  claim_id: z.string().nullable(),
  gas_limit: integer,
  deadline: integer.nullable(),
  notional: storedAmount.nullable(),
  symbol: z.string().nullable(),
  client_order_id: z.string().nullable(),
  envelope_uuid: z.string().nullable(),
  state: z.enum(SEND_STATES),
  nonce: integer.nullable(),
  tx_hash: storedHex.nullable(),
  fill_reason: z.string().nullable(),
  mined_block: integer.nullable(),
  mined_success: z.boolean().nullable(),
  mined_filler: z.boolean().nullable(),
  outcome: z.string().nullable(),
  err_code: z.string().nullable(),
  revert: z.string().nullable(),
  reason: z.string().nullable(),
  accepted_ms: instant,
  signed_ms: instant.nullable(),
  /** When a node first took it, or its receipt was seen; unlike the times of attempts, a reorg leaves it alone. */
  broadcast_ms: instant.nullable(),
  mined_ms: instant.nullable(),
  final_ms: instant.nullable(),
  daily_cap: storedAmount.nullable(),
  killed: z.boolean(),
  revoked: z.boolean(),
  wallet_state: z.string(),
  wallet_reason: z.string().nullable(),
  /** Requests that wait at the wallet before this one, up to AHEAD_MAX; null once it is signed. */
  ahead: z.number().nullable(),
  /** The wallet's lowest nonce that is not mined. */
  first_nonce: integer.nullable(),
});

const attemptSchema = z.object({
  request_id: z.string(),
  kind: z.enum(["call", "filler"]),
  max_fee_per_gas: storedAmount,
  max_priority_fee: storedAmount,
  tx_hash: storedHex.nullable(),
  broadcasts: z.number(),
  taken: z.number(),
  answer: z.string().nullable(),
  created_ms: instant,
  first_broadcast_ms: instant.nullable(),
  last_broadcast_ms: instant.nullable(),
});
export type AttemptRow = z.output<typeof attemptSchema>;

/** A request to send, with what was signed for it, oldest first. */
export interface SentRequest extends z.output<typeof sendSchema> {
  attempts: AttemptRow[];
}

const ms = (column: string, alias: string): Prisma.Sql =>
  Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::bigint::text AS ${alias}`);

const AHEAD_MAX = 1_000;
const SENDS_MAX = 50;
/** Each attempt offers a higher fee than the one before, up to a cap: far fewer than this. */
const ATTEMPTS_MAX = 1_000;

const COLUMNS = Prisma.sql`
  r.request_id::text AS request_id, k.name AS key_name, r.product_type, r.operation, r.user_address, r.wallet,
  r.claim_id::text AS claim_id, r.gas_limit::text AS gas_limit, r.deadline::text AS deadline,
  r.notional::text AS notional, r.symbol, r.client_order_id, r.envelope_uuid::text AS envelope_uuid, r.state,
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
    AND b.state IN ('signed', 'broadcast')) AS first_nonce`;

/**
 * Returns the requests of a timeline, oldest first: those behind its claims and events, and those that cancel its order.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function readSends(
  { prisma }: Pick<Deps, "prisma">,
  { kind, id, chainId, productType, requestId }: Subject,
  found: { claimIds: readonly string[]; requestIds: readonly string[] },
): Promise<SentRequest[]> {
  const requestIds = [...found.requestIds, ...(requestId === null ? [] : [requestId])];
  const cancels =
    kind === "order"
      ? Prisma.sql`
          UNION SELECT r.request_id FROM app.send_request r
          WHERE r.chain_id = ${chainId} AND r.product_type = ${productType} AND r.operation_key = ${`cancel:${id}`}`
      : Prisma.empty;
  const rows = await selectRows(
    prisma,
    Prisma.sql`
      WITH found AS (
        SELECT l.request_id FROM unnest(${requestIds}::uuid[]) AS l (request_id)
        UNION SELECT r.request_id FROM unnest(${found.claimIds}::uuid[]) AS l (claim_id)
        JOIN app.send_request r ON r.claim_id = l.claim_id ${cancels})
      SELECT ${COLUMNS} FROM found f JOIN app.send_request r ON r.request_id = f.request_id
      JOIN app.api_key k ON k.key_id = r.key_id LEFT JOIN app.key_policy p ON p.key_id = r.key_id
      JOIN app.delegatee_wallet w ON w.chain_id = r.chain_id AND w.address = r.wallet
      WHERE r.chain_id = ${chainId} ORDER BY r.sequence LIMIT ${SENDS_MAX}`,
  );
  const sends = rows.map((row) => sendSchema.parse(row));
  const attempts = sends.length > 0 ? await readAttempts(prisma, sends) : [];
  return sends.map((send) => ({
    ...send,
    attempts: attempts.filter(({ request_id }) => request_id === send.request_id),
  }));
}

/** The signed bytes are not read. */
async function readAttempts(
  prisma: Deps["prisma"],
  sends: readonly { request_id: string }[],
): Promise<AttemptRow[]> {
  const requestIds = sends.map(({ request_id }) => request_id);
  const rows = await selectRows(
    prisma,
    Prisma.sql`
      SELECT a.request_id::text AS request_id, a.kind, a.max_fee_per_gas::text AS max_fee_per_gas,
        a.max_priority_fee::text AS max_priority_fee, a.tx_hash, a.broadcasts, a.taken, a.answer,
        ${ms("a.created_at", "created_ms")}, ${ms("a.first_broadcast_at", "first_broadcast_ms")},
        ${ms("a.last_broadcast_at", "last_broadcast_ms")}
      FROM app.send_attempt a WHERE a.request_id = ANY(${requestIds}::uuid[])
      ORDER BY a.attempt_id LIMIT ${ATTEMPTS_MAX}`,
  );
  return rows.map((row) => attemptSchema.parse(row));
}
