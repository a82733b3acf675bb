import type pg from "pg";
import type { Hex } from "viem";
import { prepared } from "../../db/prepared.ts";
import {
  hexOf,
  type RawSendRow,
  SEND_COLUMNS,
  type SendRow,
  type SendState,
  toSendRow,
} from "../outbox/rows.ts";
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

export interface RawAttempt {
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

const TRACKED = prepared(`
  SELECT ${SEND_COLUMNS} FROM app.send_request
  WHERE chain_id = $1 AND wallet = $2 AND state = ANY($3::text[]) ORDER BY nonce`);

/** The columns of RawAttempt. */
export const ATTEMPT_COLUMNS = `request_id, attempt_id, kind, gas_limit, max_fee_per_gas, max_priority_fee, signed_bytes,
  tx_hash, broadcasts, taken, refusals, answer, first_broadcast_at, last_broadcast_at`;
const ATTEMPTS = prepared(`
  SELECT ${ATTEMPT_COLUMNS} FROM app.send_attempt WHERE request_id = ANY($1::uuid[]) ORDER BY attempt_id`);

/**
 * Reads what of a wallet has a nonce and is not final. Those that are mined come without their attempts (loadAttempts): only
 * a reorg asks for them.
 */
export async function readTracked(
  pool: pg.Pool,
  { nodes, signer }: Wallet,
  states: readonly SendState[] = ["signed", "broadcast", "mined"],
): Promise<Tracked> {
  if (states.length === 0) return { unmined: [], mined: [] };
  const { rows } = await pool.query<RawSendRow>(TRACKED, [nodes.chainId, signer.address, states]);
  const requests = rows.map(toSendRow).flatMap((request): InFlight[] => {
    const { nonce } = request;
    return nonce === null ? [] : [{ ...request, nonce, attempts: [] }];
  });
  const unmined = requests.filter(({ state }) => state !== "mined");
  await readAttempts(pool, unmined);
  return { unmined, mined: requests.filter(({ state }) => state === "mined") };
}

/** Loads the attempts of a request that was read without. */
export async function loadAttempts(pool: pg.Pool, request: InFlight): Promise<void> {
  if (request.attempts.length === 0) await readAttempts(pool, [request]);
}

async function readAttempts(pool: pg.Pool, requests: readonly InFlight[]): Promise<void> {
  if (requests.length === 0) return;
  const byId = new Map(requests.map((request) => [request.requestId, request]));
  const { rows } = await pool.query<RawAttempt>(ATTEMPTS, [[...byId.keys()]]);
  for (const row of rows) byId.get(row.request_id)?.attempts.push(toAttempt(row));
}

export function toAttempt(raw: RawAttempt): Attempt {
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
