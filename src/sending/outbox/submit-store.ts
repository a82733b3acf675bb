import type pg from "pg";
import type { Hex } from "viem";
import { batchPerPool } from "../../db/batch.ts";
import { CHANNELS } from "../../db/notifications.ts";
import { prepared } from "../../db/prepared.ts";
import type { Tx } from "../../db/transaction.ts";
import type { OperationType } from "../../protocol/enums.ts";
import { activeSpan } from "../../telemetry/tracing.ts";
import type { NameMacs } from "../trailer.ts";
import { bytesOf, type RawSendRow, SEND_COLUMNS, type SendRow, toSendRow } from "./rows.ts";

/** The statements that write a request, each within the transaction that decides whether it may be. */

/** A request as it is written: columns of SendRow, and those that only the checks before it and policies read. */
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
  /** The uuid of the answer to the request that is accepted. */
  envelopeUuid?: string | undefined;
  macs?: NameMacs | undefined;
}

// No conflict target: an Idempotency-Key, a clientOrderId or an operation key may be taken, and so may the request's
// own id after a commit of unknown outcome. Which one it was is read afterwards, from committed rows. The claim is the mapping
// that the key is shown. A request that was re-created after a restore has its names as MACs: they are compared in this statement, whose
// snapshot is newer than that of the wallet's state, so that none is missed which the resuming of the wallet has written.
const INSERT = prepared(`
  WITH request AS (
    INSERT INTO app.send_request (request_id, key_id, chain_id, product_type, operation, user_address, wallet, to_address,
      call_data, gas_limit, deadline, notional, symbol, idempotency_key, input_hash, client_order_id, operation_key,
      delegation_epoch, claim_id, envelope_uuid, traceparent)
    SELECT $1, $2::uuid, $3::int, $4::text, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $21, $22
    WHERE NOT EXISTS (SELECT FROM app.recreated_request m WHERE m.key_id = $2 AND m.chain_id = $3 AND m.product_type = $4
      AND (m.idempotency_mac = ANY($23::bytea[]) OR m.client_order_mac = ANY($24::bytea[])))
    ON CONFLICT DO NOTHING RETURNING *
  ), claim AS (
    INSERT INTO app.transaction_claim (claim_id, key_id, chain_id, product_type, operation_type, source, user_address,
      client_order_id)
    SELECT claim_id, key_id, chain_id, product_type, $20::app.operation_type, 'send', user_address, client_order_id
    FROM request WHERE claim_id IS NOT NULL
  )
  SELECT ${SEND_COLUMNS} FROM request`);

/**
 * Writes a request and its claim. The worker that drives the wallet is to be notified once they are committed.
 * @param operationType of the claim, where the request has one
 * @returns null where another one has its id, its Idempotency-Key, clientOrderId or operation key, or a re-created one the first two
 */
export async function insertRequest(
  tx: Tx,
  request: RequestInput,
  operationType: OperationType | null,
): Promise<SendRow | null> {
  const { rows } = await tx.query<RawSendRow>(INSERT, [
    request.requestId,
    request.keyId,
    request.chainId,
    request.productType,
    request.operation,
    request.user,
    request.wallet,
    request.to,
    bytesOf(request.data),
    request.gasLimit.toString(),
    request.deadline?.toString() ?? null,
    request.notional?.toString() ?? null,
    request.symbol,
    request.idempotencyKey,
    request.inputHash,
    request.clientOrderId,
    request.operationKey,
    request.delegationEpoch ?? null,
    request.claimId,
    operationType,
    request.envelopeUuid ?? null,
    activeSpan()?.traceparent ?? null,
    request.macs?.idempotencyKey.map(bytesOf) ?? [],
    request.macs?.clientOrderId.map(bytesOf) ?? [],
  ]);
  return rows[0] ? toSendRow(rows[0]) : null;
}

/** Returns the notification key of a wallet's worker. */
export function workKey(chainId: number, wallet: Hex): string {
  return `${chainId}:${wallet}`;
}

// PostgreSQL commits one transaction that notifies at a time. In a transaction of their own, which waits for no disk,
// notifications do not keep requests from being committed together; one that is lost costs a poll of the worker.
const NOTIFY = prepared(`
  SELECT set_config('synchronous_commit', 'off', true), pg_notify('${CHANNELS.work}', work.key)
  FROM (SELECT DISTINCT unnest($1::text[])) AS work (key)`);

/** As long as a statement may take (db/client.ts). */
const NOTIFICATIONS = { maxItems: 200, maxRunning: 1, timeoutMs: 10_000 };

/**
 * Notifies the worker that drives a wallet of committed work. What is notified while another notification is under way goes out
 * together.
 * @throws ApiError DATABASE_UNAVAILABLE, database errors
 */
export const notifyWork = (pool: pg.Pool, chainId: number, wallet: Hex): Promise<void> =>
  notify(pool, workKey(chainId, wallet));

const notify = batchPerPool<string, void>(async (pool, keys) => {
  await pool.query(NOTIFY, [keys]);
  return keys.map(() => undefined);
}, NOTIFICATIONS);

/** A wallet as a new request finds it. */
export interface WalletQueue {
  state: string;
  /** False for a retired wallet. */
  assignable: boolean;
  /** Nothing new is signed on its chain. */
  halted: boolean;
  /** Requests of the key that wait at the wallet, up to the limit that was asked for. */
  waiting: number;
}

const QUEUE = prepared(`
  SELECT state, assignable, (SELECT count(*)::int FROM (
    SELECT FROM app.send_request WHERE chain_id = $1 AND wallet = $2 AND key_id = $3 AND state = 'accepted' LIMIT $4
  ) waiting) AS waiting, EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = $1) AS halted
  FROM app.delegatee_wallet WHERE chain_id = $1 AND address = $2`);

/** Returns a wallet's state and how many requests of a key wait there; null where the chain has no such wallet. */
export async function readWalletQueue(
  tx: Tx,
  { keyId, chainId, wallet }: { keyId: string; chainId: number; wallet: Hex },
  limit: number,
): Promise<WalletQueue | null> {
  const { rows } = await tx.query<WalletQueue>(QUEUE, [chainId, wallet, keyId, limit]);
  return rows[0] ?? null;
}

/**
 * Returns true while the database may lack what the user's wallet has sent, as after a restored backup: until the operator resumes the
 * wallet and the chain. Where the user's wallet is not known any more, it may be any of the chain.
 */
export async function mayLackSends(
  pool: pg.Pool,
  { chainId, productType, user }: { chainId: number; productType: string; user: Hex },
): Promise<boolean> {
  const { rows } = await pool.query<{ lacks: boolean }>(
    `SELECT EXISTS (SELECT FROM app.sending_halt WHERE chain_id = $1) OR EXISTS (
       SELECT FROM app.delegatee_wallet w WHERE w.chain_id = $1 AND (w.state = 'halted' OR w.chain_nonce > w.next_nonce)
         AND w.address = coalesce((SELECT d.delegatee FROM app.delegation d
           WHERE d.chain_id = $1 AND d.product_type = $2 AND d.user_address = $3), w.address)) AS lacks`,
    [chainId, productType, user],
  );
  return rows[0]?.lacks === true;
}
