import type pg from "pg";
import type { Hex } from "viem";
import { bytesOf, hexOf, type RawSendRow, type SendRow, toSendRow } from "../outbox/rows.ts";
import type { Tx } from "../outbox/transaction.ts";
import type { Wallet } from "./deps.ts";
import type { Fees } from "./fees.ts";

/** Signed bytes of one request's nonce (app.send_attempt). */
export interface Attempt extends Fees {
  attemptId: string;
  kind: "call" | "filler";
  gasLimit: bigint;
  bytes: Hex;
  hash: Hex;
  broadcasts: number;
  taken: number;
  /** Times in a row, time-outs aside, that every node refused it in unknown words. */
  refusals: number;
  /** The last broadcast's result (broadcast-result.ts), or null. */
  answer: string | null;
  firstBroadcastMs: number | null;
  lastBroadcastMs: number | null;
}

/** A request with a nonce, and all its attempts, oldest first. */
export interface InFlight extends SendRow {
  nonce: bigint;
  attempts: Attempt[];
}

interface RawAttempt {
  request_id: string;
  attempt_id: string;
  kind: "call" | "filler";
  gas_limit: string;
  max_fee_per_gas: string;
  max_priority_fee: string;
  signed_bytes: Buffer;
  tx_hash: Hex;
  broadcasts: number;
  taken: number;
  refusals: number;
  answer: string | null;
  first_broadcast_at: Date | null;
  last_broadcast_at: Date | null;
}

/** Requests of a wallet that have a nonce and are not final, in the order of nonces. */
export interface Tracked {
  /** Signed, or broadcast. */
  unmined: InFlight[];
  mined: InFlight[];
}

/** Reads what of a wallet has a nonce and is not final. */
export async function readTracked(pool: pg.Pool, wallet: Wallet): Promise<Tracked> {
  const { rows } = await pool.query<RawSendRow>(
    `SELECT * FROM app.send_request
     WHERE chain_id = $1 AND wallet = $2 AND state IN ('signed', 'broadcast', 'mined') ORDER BY nonce`,
    [wallet.nodes.chainId, wallet.signer.address],
  );
  if (rows.length === 0) return { unmined: [], mined: [] };
  const requests = await withAttempts(pool, rows.map(toSendRow));
  return {
    unmined: requests.filter(({ state }) => state !== "mined"),
    mined: requests.filter(({ state }) => state === "mined"),
  };
}

/** Returns true where the wallet may send, and none of its requests waits for a nonce, for the chain or for finality. */
export async function isIdle(pool: pg.Pool, { nodes, signer, epoch }: Wallet): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM app.delegatee_wallet w
     WHERE w.chain_id = $1 AND w.address = $2 AND w.lease_epoch = $3 AND w.state = 'active' AND w.next_nonce IS NOT NULL
       AND NOT EXISTS (SELECT FROM app.send_request r WHERE r.chain_id = w.chain_id AND r.wallet = w.address
         AND r.state IN ('accepted', 'signed', 'broadcast', 'mined'))`,
    [nodes.chainId, signer.address, epoch.toString()],
  );
  return rowCount === 1;
}

async function withAttempts(pool: pg.Pool, requests: SendRow[]): Promise<InFlight[]> {
  const attempts = new Map<string, Attempt[]>(requests.map(({ requestId }) => [requestId, []]));
  const { rows } = await pool.query<RawAttempt>(
    "SELECT * FROM app.send_attempt WHERE request_id = ANY($1::uuid[]) ORDER BY attempt_id",
    [[...attempts.keys()]],
  );
  for (const row of rows) attempts.get(row.request_id)?.push(toAttempt(row));
  return requests.flatMap((request) =>
    request.nonce === null
      ? []
      : [{ ...request, nonce: request.nonce, attempts: attempts.get(request.requestId) ?? [] }],
  );
}

function toAttempt(raw: RawAttempt): Attempt {
  return {
    attemptId: raw.attempt_id,
    kind: raw.kind,
    gasLimit: BigInt(raw.gas_limit),
    maxFeePerGas: BigInt(raw.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(raw.max_priority_fee),
    bytes: hexOf(raw.signed_bytes),
    hash: raw.tx_hash,
    broadcasts: raw.broadcasts,
    taken: raw.taken,
    refusals: raw.refusals,
    answer: raw.answer,
    firstBroadcastMs: raw.first_broadcast_at?.getTime() ?? null,
    lastBroadcastMs: raw.last_broadcast_at?.getTime() ?? null,
  };
}

export interface NewAttempt extends Fees {
  requestId: string;
  nonce: bigint;
  kind: "call" | "filler";
  gasLimit: bigint;
  bytes: Hex;
  hash: Hex;
}

/** Stores an attempt that no node has seen yet. */
export async function insertAttempt(tx: Tx, wallet: Wallet, attempt: NewAttempt): Promise<Attempt> {
  const { rows } = await tx.query<RawAttempt>(
    `INSERT INTO app.send_attempt (request_id, chain_id, wallet, nonce, kind, gas_limit, max_fee_per_gas,
       max_priority_fee, signed_bytes, tx_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *`,
    [
      attempt.requestId,
      wallet.nodes.chainId,
      wallet.signer.address,
      attempt.nonce.toString(),
      attempt.kind,
      attempt.gasLimit.toString(),
      attempt.maxFeePerGas.toString(),
      attempt.maxPriorityFeePerGas.toString(),
      bytesOf(attempt.bytes),
      attempt.hash,
    ],
  );
  const [row] = rows;
  if (!row) throw new Error("an attempt was not stored");
  return toAttempt(row);
}

/** Makes `hash` the one that the request and its claim show. */
export async function pointTo(tx: Tx, requestId: string, hash: Hex): Promise<void> {
  await tx.query("UPDATE app.send_request SET tx_hash = $2 WHERE request_id = $1", [requestId, hash]);
  // The key may have recorded this very hash by itself: then that claim finds the transaction already.
  await tx.query(
    `UPDATE app.transaction_claim c SET tx_hash = $2, updated_at = now()
     FROM app.send_request r
     WHERE r.request_id = $1 AND c.claim_id = r.claim_id AND NOT EXISTS (
       SELECT 1 FROM app.transaction_claim o WHERE o.key_id = c.key_id AND o.chain_id = c.chain_id
         AND o.product_type = c.product_type AND o.operation_type = c.operation_type AND o.tx_hash = $2)`,
    [requestId, hash],
  );
}
