import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import { batchPerPool } from "../../db/batch.ts";
import { CHANNELS } from "../../db/notifications.ts";
import { execute, queryMaybeOne, queryOne } from "../../db/query.ts";
import { raw, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import type { OperationType } from "../../protocol/enums.ts";
import { activeSpan } from "../../telemetry/tracing.ts";
import type { NameMacs } from "../trailer.ts";
import { bytesOf, type SendRow, sendColumns, sendSchema } from "./rows.ts";

/** Statements that write a request, each within the transaction that decides on it. */

/** A request to insert: columns of SendRow, and those that only policies and the checks before it read. */
interface RequestInput
  extends Pick<
    SendRow,
    | "requestId"
    | "keyId"
    | "chainId"
    | "productType"
    | "operation"
    | "user"
    | "wallet"
    | "to"
    | "data"
    | "gasLimit"
    | "deadline"
    | "notional"
    | "inputHash"
    | "clientOrderId"
    | "claimId"
  > {
  symbol: string | null;
  idempotencyKey: string | null;
  operationKey: string | null;
  delegationEpoch?: number | null;
  /** The uuid of the answer to the accepted request. */
  envelopeUuid?: string | undefined;
  macs?: NameMacs | undefined;
}

/**
 * Inserts a request and its claim. Notify the wallet's worker once they are committed.
 * @param operationType of the claim, where the request has one
 * @returns null where another one has its id, its Idempotency-Key, clientOrderId or operation key, or a re-created one has one of
 * the first two
 */
export function insertRequest(
  tx: Tx,
  request: RequestInput,
  operationType: OperationType | null,
): Promise<SendRow | null> {
  const { requestId, keyId, chainId, productType, operation, user, wallet, to, data, gasLimit, deadline } =
    request;
  const {
    notional,
    symbol,
    idempotencyKey,
    inputHash,
    clientOrderId,
    operationKey,
    delegationEpoch,
    claimId,
  } = request;
  const { envelopeUuid, macs } = request;
  const traceparent = activeSpan()?.traceparent;
  // No conflict target: an Idempotency-Key, a clientOrderId or an operation key may be taken, and so may the request's own id
  // after a commit of unknown outcome. A later read of committed rows finds out which one. The claim is the mapping that the key
  // is shown. A request that was re-created after a restore has its names as MACs. They are compared in this statement, whose
  // snapshot is newer than that of the wallet's state, so that it sees all that the resuming of the wallet has written.
  const statement = sql`
    WITH request AS (
      INSERT INTO app.send_request (request_id, key_id, chain_id, product_type, operation, user_address, wallet, to_address,
        call_data, gas_limit, deadline, notional, symbol, idempotency_key, input_hash, client_order_id, operation_key,
        delegation_epoch, claim_id, envelope_uuid, traceparent)
      SELECT ${requestId}, ${keyId}::uuid, ${chainId}::int, ${productType}::text, ${operation}, ${user}, ${wallet}, ${to},
        ${bytesOf(data)}, ${gasLimit}, ${deadline}, ${notional}, ${symbol}, ${idempotencyKey}, ${inputHash}, ${clientOrderId},
        ${operationKey}, ${delegationEpoch}, ${claimId}, ${envelopeUuid}, ${traceparent}
      WHERE NOT EXISTS (SELECT FROM app.recreated_request m
        WHERE m.key_id = ${keyId} AND m.chain_id = ${chainId} AND m.product_type = ${productType}
          AND (m.idempotency_mac = ANY(${macs?.idempotencyKey.map(bytesOf) ?? []}::bytea[])
            OR m.client_order_mac = ANY(${macs?.clientOrderId.map(bytesOf) ?? []}::bytea[])))
      ON CONFLICT DO NOTHING RETURNING *
    ), claim AS (
      INSERT INTO app.transaction_claim (claim_id, key_id, chain_id, product_type, operation_type, source, user_address,
        client_order_id)
      SELECT claim_id, key_id, chain_id, product_type, ${operationType}::app.operation_type, 'send', user_address,
        client_order_id
      FROM request WHERE claim_id IS NOT NULL
    )
    SELECT ${sendColumns("request")} FROM request`;
  return queryMaybeOne(tx, statement, sendSchema);
}

/** Returns the notification key of a wallet's worker. */
export function workKey(chainId: number, wallet: Hex): string {
  return `${chainId}:${wallet}`;
}

/** Limited to the time of a statement (db/client.ts). */
const NOTIFICATIONS = { maxItems: 200, maxRunning: 1, timeoutMs: 10_000 };

/**
 * Notifies the worker that drives a wallet of committed work. Notifications that begin while another one is under way are sent
 * together.
 * @throws ApiError DATABASE_UNAVAILABLE, database errors
 */
export const notifyWork = (pool: pg.Pool, chainId: number, wallet: Hex): Promise<void> =>
  notify(pool, workKey(chainId, wallet));

// PostgreSQL commits one transaction that notifies at a time. In a transaction of their own, which waits for no disk,
// notifications do not keep requests from being committed together. A lost one costs a poll of the worker.
const notify = batchPerPool<string, void>(async (pool, keys) => {
  await execute(
    pool,
    sql`
      SELECT set_config('synchronous_commit', 'off', true), pg_notify('${raw(CHANNELS.work)}', work.key)
      FROM (SELECT DISTINCT unnest(${keys}::text[])) AS work (key)`,
  );
  return keys.map(() => undefined);
}, NOTIFICATIONS);

/** A wallet's state for a new request. */
const queueSchema = z.object({
  state: z.string(),
  /** False for a retired wallet. */
  assignable: z.boolean(),
  /** True where nothing new is signed on its chain. */
  halted: z.boolean(),
  /** Requests of the key that wait at the wallet, up to the given limit. */
  waiting: z.int(),
});

/** Returns a wallet's state and the number of a key's requests that wait there; null where the chain has no such wallet. */
export function readWalletQueue(
  tx: Tx,
  { keyId, chainId, wallet }: { keyId: string; chainId: number; wallet: Hex },
  limit: number,
): Promise<z.output<typeof queueSchema> | null> {
  const statement = sql`
    SELECT state, assignable, (SELECT count(*)::int FROM (
      SELECT FROM app.send_request
      WHERE chain_id = ${chainId} AND wallet = ${wallet} AND key_id = ${keyId} AND state = 'accepted' LIMIT ${limit}
    ) waiting) AS waiting, EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = ${chainId}) AS halted
    FROM app.delegatee_wallet WHERE chain_id = ${chainId} AND address = ${wallet}`;
  return queryMaybeOne(tx, statement, queueSchema);
}

const lackSchema = z.object({ lacks: z.boolean() });

/**
 * Returns true while the database may lack requests that the user's wallet has sent, as after a restored backup, until the
 * operator resumes the wallet and the chain. An unknown wallet of the user may be any of the chain.
 */
export async function mayLackSends(
  pool: pg.Pool,
  { chainId, productType, user }: { chainId: number; productType: string; user: Hex },
): Promise<boolean> {
  const statement = sql`
    SELECT EXISTS (SELECT FROM app.sending_halt WHERE chain_id = ${chainId}) OR EXISTS (
      SELECT FROM app.delegatee_wallet w
      WHERE w.chain_id = ${chainId} AND (w.state = 'halted' OR w.chain_nonce > w.next_nonce)
        AND w.address = coalesce((SELECT d.delegatee FROM app.delegation d
          WHERE d.chain_id = ${chainId} AND d.product_type = ${productType} AND d.user_address = ${user}), w.address)) AS lacks`;
  return (await queryOne(pool, statement, lackSchema)).lacks;
}
