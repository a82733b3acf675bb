import type pg from "pg";
import type { Caller } from "../../auth/caller.ts";
import { batchPerPool } from "../../db/batch.ts";
import { type Queryable, queryMaybeOne, queryRows } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { NameMacs } from "../trailer.ts";
import { findBatch } from "./batch-store.ts";
import type { RequestIdentity } from "./identity.ts";
import { bytesOf, type SendRow, sendColumns, sendSchema } from "./rows.ts";

/**
 * Returns the request of an Idempotency-Key, or null where the key is free. Read before any check, so that a repeat is answered
 * even where the checks would fail by now.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED where the key belongs to another call
 */
export async function findByIdempotencyKey(
  pool: pg.Pool,
  caller: Caller,
  { idempotencyKey, inputHash: hash, macs = NO_MACS }: RequestIdentity,
): Promise<SendRow | null> {
  if (idempotencyKey === null) return null;
  const row = await findNamed(pool, caller, idempotencyKey, macs);
  const isReused = row
    ? ![hash, ...macs.inputHash].includes(row.inputHash)
    : (await findBatch(pool, caller, idempotencyKey)) !== null;
  if (isReused) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  return row;
}

/** Returns the request that was written under an Idempotency-Key, or null; a batch of cancels has none of its own. */
export function findNamed(
  pool: pg.Pool,
  { keyId, chainId, productType }: Caller,
  idempotencyKey: string,
  macs = NO_MACS,
): Promise<SendRow | null> {
  const stored = macs.idempotencyKey.map(bytesOf);
  // A re-created request comes first: it was sent before any request accepted since the backup was restored.
  return findWhere(
    pool,
    sql`request_id = coalesce(
      (SELECT m.request_id FROM app.recreated_request m
       WHERE m.key_id = ${keyId} AND m.chain_id = ${chainId} AND m.product_type = ${productType}
         AND m.idempotency_mac = ANY(${stored}::bytea[]) LIMIT 1),
      (SELECT r.request_id FROM app.send_request r
       WHERE r.key_id = ${keyId} AND r.chain_id = ${chainId} AND r.product_type = ${productType}
         AND r.idempotency_key = ${idempotencyKey}))`,
  );
}

/** Names of a request without a trailer. */
const NO_MACS: NameMacs = { idempotencyKey: [], clientOrderId: [], inputHash: [] };

/** Returns the request that holds an operation key, or null. */
export async function findByOperationKey(
  pool: Queryable,
  { chainId, productType }: { chainId: number; productType: string },
  operationKey: string | null,
): Promise<SendRow | null> {
  if (operationKey === null) return null;
  return findWhere(
    pool,
    sql`chain_id = ${chainId} AND product_type = ${productType} AND operation_key = ${operationKey}`,
  );
}

export function findById(pool: Queryable, requestId: string): Promise<SendRow | null> {
  return findWhere(pool, sql`request_id = ${requestId}`);
}

/** Limited to the time of a statement (db/client.ts). */
const READS = { maxItems: 200, maxRunning: 2, timeoutMs: 10_000 };

/**
 * Returns a request by its id, or null. Reads that begin in one tick share a statement: the requests of a group are broadcast,
 * and so notified, together.
 * @throws ApiError DATABASE_UNAVAILABLE, database errors
 */
export const findJoined = batchPerPool(
  async (pool: pg.Pool, requestIds: readonly string[]): Promise<(SendRow | null)[]> => {
    const rows = await queryRows(pool, selectWhere(sql`request_id = ANY(${requestIds}::uuid[])`), sendSchema);
    const byId = new Map(rows.map((row) => [row.requestId, row]));
    return requestIds.map((requestId) => byId.get(requestId) ?? null);
  },
  READS,
);

const selectWhere = (condition: Sql): Sql =>
  sql`SELECT ${sendColumns()} FROM app.send_request WHERE ${condition}`;

const findWhere = (db: Queryable, condition: Sql): Promise<SendRow | null> =>
  queryMaybeOne(db, selectWhere(condition), sendSchema);
