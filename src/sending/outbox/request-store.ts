import type pg from "pg";
import type { Caller } from "../../auth/caller.ts";
import { batchPerPool } from "../../db/batch.ts";
import { prepared } from "../../db/prepared.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { NameMacs } from "../trailer.ts";
import type { RequestIdentity } from "./identity.ts";
import { bytesOf, type RawSendRow, SEND_COLUMNS, type SendRow, toSendRow } from "./rows.ts";

const selectWhere = (condition: string): string =>
  prepared(`SELECT ${SEND_COLUMNS} FROM app.send_request WHERE ${condition}`);
const BY_ID = selectWhere("request_id = $1");
// A re-created request comes first: it was sent before any that was accepted since the backup was restored.
const BY_IDEMPOTENCY_KEY = selectWhere(`request_id = coalesce(
  (SELECT m.request_id FROM app.recreated_request m
   WHERE m.key_id = $1 AND m.chain_id = $2 AND m.product_type = $3 AND m.idempotency_mac = ANY($5::bytea[]) LIMIT 1),
  (SELECT r.request_id FROM app.send_request r
   WHERE r.key_id = $1 AND r.chain_id = $2 AND r.product_type = $3 AND r.idempotency_key = $4))`);
const BY_OPERATION_KEY = selectWhere("chain_id = $1 AND product_type = $2 AND operation_key = $3");

/**
 * Returns the request that an Idempotency-Key stands for, or null where the key is free. Asked before any check, so that a
 * repeat is answered also where the checks would fail by now.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED where it stands for another call
 */
export async function findByIdempotencyKey(
  pool: pg.Pool,
  caller: Caller,
  { idempotencyKey, inputHash: hash, macs = NO_MACS }: RequestIdentity,
): Promise<SendRow | null> {
  if (idempotencyKey === null) return null;
  const row = await findOne(pool, BY_IDEMPOTENCY_KEY, [
    caller.keyId,
    caller.chainId,
    caller.productType,
    idempotencyKey,
    macs.idempotencyKey.map(bytesOf),
  ]);
  if (row && ![hash, ...macs.inputHash].includes(row.inputHash)) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  return row;
}

/** Of requests that no trailer names. */
const NO_MACS: NameMacs = { idempotencyKey: [], clientOrderId: [], inputHash: [] };

/** Returns the request that holds an operation key, or null. */
export async function findByOperationKey(
  pool: pg.Pool | pg.PoolClient,
  caller: { chainId: number; productType: string },
  operationKey: string | null,
): Promise<SendRow | null> {
  if (operationKey === null) return null;
  return findOne(pool, BY_OPERATION_KEY, [caller.chainId, caller.productType, operationKey]);
}

export function findById(pool: pg.Pool | pg.PoolClient, requestId: string): Promise<SendRow | null> {
  return findOne(pool, BY_ID, [requestId]);
}

const ALL = prepared(`SELECT ${SEND_COLUMNS} FROM app.send_request WHERE request_id = ANY($1::uuid[])`);

/** As long as a statement may take (db/client.ts). */
const READS = { maxItems: 200, maxRunning: 2, timeoutMs: 10_000 };

/**
 * Returns a request by its id, or null. Reads that begin in one tick share a statement: requests of a group are broadcast,
 * and so notified, together.
 * @throws ApiError DATABASE_UNAVAILABLE, database errors
 */
export const findJoined = batchPerPool(
  async (pool: pg.Pool, requestIds: readonly string[]): Promise<(SendRow | null)[]> => {
    const { rows } = await pool.query<RawSendRow>(ALL, [requestIds]);
    const byId = new Map(rows.map((row) => [row.request_id, toSendRow(row)]));
    return requestIds.map((requestId) => byId.get(requestId) ?? null);
  },
  READS,
);

async function findOne(
  pool: pg.Pool | pg.PoolClient,
  statement: string,
  values: unknown[],
): Promise<SendRow | null> {
  const { rows } = await pool.query<RawSendRow>(statement, values);
  return rows[0] ? toSendRow(rows[0]) : null;
}
