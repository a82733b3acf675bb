import type pg from "pg";
import { z } from "zod";
import { queryRows } from "../../db/query.ts";
import { raw, sql } from "../../db/sql.ts";
import { storedAmount, storedHex } from "../../protocol/shapes.ts";
import {
  type SendRow,
  type SendState,
  sendColumns,
  sendSchema,
  storedBytes,
  storedMs,
} from "../outbox/rows.ts";
import type { Wallet } from "./wallet.ts";

export const attemptSchema = z.object({
  attemptId: z.string(),
  kind: z.enum(["call", "filler"]),
  gasLimit: z.coerce.bigint(),
  maxFeePerGas: storedAmount,
  maxPriorityFeePerGas: storedAmount,
  bytes: storedBytes,
  hash: storedHex,
  broadcasts: z.int(),
  taken: z.int(),
  /** Number of times in a row, time-outs aside, that every node refused it with unknown errors. */
  refusals: z.int(),
  /** Result of the last broadcast (broadcast-result.ts), or null. */
  answer: z.string().nullable(),
  firstBroadcastMs: storedMs.nullable(),
  lastBroadcastMs: storedMs.nullable(),
});

/** Columns of attemptSchema. */
export const ATTEMPT_COLUMNS = raw(`attempt_id, kind, gas_limit, max_fee_per_gas,
  max_priority_fee AS max_priority_fee_per_gas, signed_bytes AS bytes, tx_hash AS hash, broadcasts, taken, refusals, answer,
  first_broadcast_at AS first_broadcast_ms, last_broadcast_at AS last_broadcast_ms`);

/** Signed bytes of one request's nonce (app.send_attempt). */
export type Attempt = z.output<typeof attemptSchema>;

/** A request with a nonce, and its attempts, oldest first. */
export interface InFlight extends SendRow {
  nonce: bigint;
  attempts: Attempt[];
}

/** Requests of a wallet that have a nonce and are not final, by nonce. */
export interface Tracked {
  /** Requests that are signed, or broadcast. */
  unmined: InFlight[];
  mined: InFlight[];
}

/**
 * Reads the requests of a wallet that have a nonce and are not final. Mined ones come without their attempts (loadAttempts): only
 * a reorg needs them.
 */
export async function readTracked(
  pool: pg.Pool,
  { nodes: { chainId }, signer }: Wallet,
  states: readonly SendState[] = ["signed", "broadcast", "mined"],
): Promise<Tracked> {
  if (states.length === 0) return { unmined: [], mined: [] };
  const statement = sql`
    SELECT ${sendColumns()} FROM app.send_request
    WHERE chain_id = ${chainId} AND wallet = ${signer.address} AND state = ANY(${states}::text[]) ORDER BY nonce`;
  const requests = (await queryRows(pool, statement, sendSchema)).flatMap((request): InFlight[] => {
    const { nonce } = request;
    return nonce === null ? [] : [{ ...request, nonce, attempts: [] }];
  });
  const unmined = requests.filter(({ state }) => state !== "mined");
  await readAttempts(pool, unmined);
  return { unmined, mined: requests.filter(({ state }) => state === "mined") };
}

/** Loads the attempts of a request that was read without them. */
export async function loadAttempts(pool: pg.Pool, request: InFlight): Promise<void> {
  if (request.attempts.length === 0) await readAttempts(pool, [request]);
}

const ownedSchema = attemptSchema.extend({ requestId: z.string() });

async function readAttempts(pool: pg.Pool, requests: readonly InFlight[]): Promise<void> {
  if (requests.length === 0) return;
  const byId = new Map(requests.map((request) => [request.requestId, request]));
  const statement = sql`
    SELECT request_id, ${ATTEMPT_COLUMNS} FROM app.send_attempt
    WHERE request_id = ANY(${[...byId.keys()]}::uuid[]) ORDER BY attempt_id`;
  for (const { requestId, ...attempt } of await queryRows(pool, statement, ownedSchema))
    byId.get(requestId)?.attempts.push(attempt);
}
